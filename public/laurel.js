/**
 * Laurel for browser games; see laurel.d.ts. Bodies are text/plain, no header is set: nothing needs a preflight.
 * @module
 */

const PATIENCE = 30_000; // ms a submission's promise stays open
const DEADLINE = 10_000; // for one request
const SLOWEST = 8_000; // between tries
const FRESH = 3_600_000; // in which one's own submission must show

/** A refusal, or `network`, or `queued`. */
export class LaurelError extends Error {
  constructor(code, message, more) {
    super(message ?? code);
    Object.assign(this, { name: "LaurelError", code }, more);
  }
}

/** A storage; what it does not take lives as long as the page. */
const storage = (kind) => {
  const spare = {};
  let area = spare;
  try {
    area = globalThis[kind] ?? spare;
  } catch {} // blocked
  return {
    shared: area != spare,
    get(key) {
      try {
        return JSON.parse(spare[key] ?? area[key]);
      } catch {}
    },
    set(key, value) {
      value = JSON.stringify(value);
      try {
        area[key] = value;
      } catch {
        spare[key] = value;
      }
    },
    drop: (key) => delete spare[key] && delete area[key],
    keys: (prefix) => Object.keys({ ...area, ...spare }).filter((key) => key.startsWith(prefix)).sort(),
  };
};

const local = storage("localStorage");
const tab = storage("sessionStorage");
const locks = local.shared && globalThis.navigator?.locks;
const chains = {};
const later = {};
const queues = {};
let clock = 0;

/** Runs the jobs of a name one by one, over all tabs, in order. */
const inTurn = (name, job) =>
  locks ? locks.request(name, job) : (chains[name] = Promise.resolve(chains[name]).then(job, job));

const random = () => crypto.getRandomValues(new Uint32Array(3)).join("");

const pause = () => new Promise((done) => setTimeout(done, 99));

const queued = (cause) => new LaurelError("queued", "Kept for later", { cause });

const ask = async (url, options) => {
  let response, answer;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout?.(DEADLINE), ...options });
    answer = await response.json();
  } catch (cause) {
    if (!response || response.ok) throw new LaurelError("network", "No answer", { cause });
  }
  if (response.ok) return answer;
  const { status, headers } = response;
  const wait = headers.get("Retry-After") * 1000 || 0;
  throw new LaurelError(answer?.code ?? "http_" + status, answer?.detail, { status, wait, problem: answer });
};

const post = (url, body) => ask(url, { method: "POST", body: JSON.stringify(body), keepalive: true });

/** Tries a submission until it is settled or time is up; `sent` is a try under way. */
const deliver = async (queue, key, body, deadline, sent) => {
  for (;;) {
    if (later[key] > Date.now()) throw queued({ status: 429 });
    if (queue.until > deadline) throw queued();
    while (queue.until > Date.now()) await pause();
    try {
      const answer = await (sent ?? post(queue.url, body));
      queue.until = queue.tries = 0;
      local.set(queue.last, { id: body.id, at: Date.now() });
      local.drop(key);
      globalThis.dispatchEvent?.(new CustomEvent("laurel", { detail: answer }));
      return answer;
    } catch (error) {
      const { code, status, wait = 0 } = error;
      sent = null;
      if (status < 500 && status != 429) {
        local.drop(key);
        throw error;
      }
      // This may last a day, and must not hold up the others.
      if (code == "too_many_split_values") later[key] = Date.now() + wait;
      if (later[key] > Date.now() || (!status && globalThis.navigator?.onLine === false)) throw queued(error);
      queue.until = Date.now() + Math.max(wait, Math.min(500 * 2 ** queue.tries++, SLOWEST)) * (1 + Math.random() / 4);
    }
  }
};

/** Sends what is kept, in order, up to the key `last`; resolves to its answer. */
const drain = (queue, last, own, sent) => {
  const deadline = Date.now() + PATIENCE;
  return inTurn(queue.name, async () => {
    if (!own) await pause(); // what storage lost reaches other tabs a little late
    for (const key of local.keys(queue.name)) {
      if (key >= last) break;
      await deliver(queue, key, local.get(key), deadline).catch((error) => {
        if (error.code == "queued" && !error.cause?.status) throw error;
      });
    }
    const body = local.get(last) ?? own; // sent by another tab? A replay
    return body && deliver(queue, last, body, deadline, sent);
  }).catch((error) => {
    clearTimeout(queue.timer);
    if (error.code == "queued") queue.timer = setTimeout(flush, Math.max(queue.until - Date.now(), 60_000), queue);
    throw error;
  });
};

const flush = (queue) => {
  const last = local.keys(queue.name).pop();
  if (last) drain(queue, last).catch(() => {});
};

for (const event of ["online", "offline"]) {
  globalThis.addEventListener?.(event, () => {
    for (const queue of Object.values(queues)) {
      queue.until = queue.tries = 0;
      flush(queue);
    }
  });
}

/** Opens a board, and sends what an earlier visit could not. */
export function laurel(url, { board }) {
  const home = new URL(url.top ?? (url + "" || "/"), globalThis.document?.baseURI).href.replace(/\/+$/, "");
  const at = (path) => url[path] ?? home + "/" + path;
  const me = "laurel:player:" + home;
  const here = `${home} ${board} `;
  const name = "laurel:queue:" + here;
  const queue = (queues[name] ??= { name, last: "laurel:last:" + here, until: 0, tries: 0 });
  queue.url = at("submit");

  const mine = () => local.get(me) ?? {};
  const keep = (answer) => {
    const { player = mine().player, player_token: token } = answer;
    if (token) local.set(me, { player, token });
    return answer;
  };
  const read = async (path, { splits, cache, ...query }) => {
    Object.assign(query, typeof splits == "string" ? { splits } : splits);
    const given = Object.entries({ board, ...query }).filter(([, value]) => value != null);
    return keep(await ask(at(path) + "?" + new URLSearchParams(given), { cache }));
  };

  flush(queue);

  return {
    get player() {
      return mine().player ?? null;
    },

    start: () =>
      inTurn(me, async () => {
        const { player, token } = mine();
        const answer = keep(await post(at("start"), { board, ...(token && { player, player_token: token }) }));
        tab.set(here, answer);
        return answer;
      }),

    submit(score, options) {
      const { ticket, player = mine().player ?? "p_" + random() } = tab.get(here) ?? {};
      tab.drop(here);
      if (!mine().player) local.set(me, { player });
      const body = { board, player, score, id: random(), ticket, ...options };
      clock = Math.max(Date.now(), clock + 1);
      const key = name + clock.toString(36) + body.id;
      local.set(key, body);
      // The first try goes at once, for the page may be closing.
      const sent = local.keys(name).length == 1 && queue.until < clock ? post(queue.url, body) : null;
      sent?.catch(() => {});
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(queued()), PATIENCE);
        drain(queue, key, body, sent).then(
          (answer) => resolve(keep(answer), clearTimeout(timer)),
          // Without a cause time is up, which the timer says.
          (error) => (error.code != "queued" || error.cause) && reject(error, clearTimeout(timer)),
        );
      });
    },

    top(query) {
      const { id, at } = local.get(queue.last) ?? {};
      return read("top", { v: Date.now() - at < FRESH ? id : null, ...query });
    },

    rank: (query = {}) =>
      read("rank", { player: query.players || query.score != null ? null : mine().player, ...query }),
  };
}

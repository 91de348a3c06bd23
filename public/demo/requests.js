/** Shows every request of this page, raw, next to what it cost. Import it before anything that fetches. */

const MOST = 40;
const list = document.getElementById("requests");
const total = document.getElementById("total");
const plain = globalThis.fetch;
let requests = 0;
let commands = 0;

const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
};

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const counted = (count, word) => `${count.toLocaleString()} ${word}${count == 1 ? "" : "s"}`;

/** How many commands the store bills for an answer, or null where it does not say. */
const costOf = (response) => {
  const told = /commands;desc="(\d+)"/.exec(response.headers.get("Server-Timing"));
  return told && Number(told[1]);
};

const sum = (cost) => {
  requests += 1;
  commands += cost ?? 0;
  total.textContent = `${counted(requests, "request")}, ${counted(commands, "command")} on the store since you came.`;
};

globalThis.fetch = async (input, options = {}) => {
  const url = new URL(input, location.href);
  const what = make("span", "what", make("b", "", options.method ?? "GET"), " ", url.pathname + url.search);
  const status = make("span", "status", "…");
  const cost = make("span", "cost");
  const raw = make("pre", "");
  raw.tabIndex = 0;
  raw.setAttribute("aria-label", "Request and answer");
  list.prepend(make("li", "", make("details", "", make("summary", "", what, status, cost), raw)));
  while (list.children.length > MOST) list.lastChild.remove();
  const sent = options.body ? pretty(options.body) + "\n\n" : "";
  const started = performance.now();
  try {
    const response = await plain(input, options);
    const took = Math.round(performance.now() - started);
    const billed = costOf(response);
    status.replaceChildren(`${response.status}`, make("span", "ms", ` · ${took} ms`));
    status.classList.toggle("bad", !response.ok);
    cost.textContent = billed == null ? "" : counted(billed, "command");
    raw.textContent = sent + pretty(await response.clone().text());
    sum(billed);
    return response;
  } catch (error) {
    status.textContent = "no answer";
    status.classList.add("bad");
    raw.textContent = sent + error;
    throw error;
  }
};

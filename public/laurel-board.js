/**
 * `<laurel-board src="https://…" board="burrow" windows="all,daily">`: a standing as a table that keeps itself fresh.
 * Attributes, properties, parts and events are in laurel-board.d.ts. Names from the network only ever become text.
 * @module
 */
import { laurel } from "./laurel.js";

const LABELS = {
  title: "",
  rank: "Rank",
  player: "Player",
  score: "Score",
  you: "You",
  anonymous: "Anonymous",
  points: "{n} pts",
  total: "{n} ranked",
  resets: "Resets in {time}",
  empty: "No scores yet. The first place is free.",
  error: "The leaderboard is out of reach. Trying again soon.",
  refused: "This leaderboard cannot be shown.",
  windows: "Periods",
  all: "All time",
  daily: "Today",
  weekly: "This week",
  monthly: "This month",
  yearly: "This year",
  season: "Season",
};

const QUICK = 10_000; // ms between two looks while things change
const SLOW = 60_000; // ms between two looks while nothing does
const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:host {
  color-scheme: light dark;
  --_color: var(--laurel-color, light-dark(#21261f, #eceee6));
  --_muted: var(--laurel-muted, light-dark(#5d6558, #a5ac9d));
  --_line: var(--laurel-line, light-dark(#e6e7df, #30362d));
  --_accent: var(--laurel-accent, light-dark(#2c6a4a, #92d6a8));
  --_own: var(--laurel-own, light-dark(#e6f3e9, #21362a));
  display: block;
  box-sizing: border-box;
  overflow-wrap: anywhere;
  padding: var(--laurel-padding, 0.75rem);
  border: 1px solid var(--_line);
  border-radius: var(--laurel-radius, 14px);
  background: var(--laurel-background, light-dark(#fff, #191d18));
  color: var(--_color);
  font: 400 1rem/1.4 var(--laurel-font, system-ui, sans-serif);
  text-align: start;
}
:host([hidden]), [hidden] { display: none !important; }
[role=tablist] { display: flex; flex-wrap: wrap; gap: 0.25rem; margin-block-end: 0.5rem; }
[role=tab] {
  border: 0;
  border-radius: 99px;
  padding: 0.35rem 0.85rem;
  background: none;
  color: var(--_muted);
  font: inherit;
  font-size: 0.875rem;
  font-weight: 600;
  cursor: pointer;
}
[role=tab]:hover { color: var(--_color); }
[role=tab][aria-selected=true] { background: var(--_own); color: var(--_accent); }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
table { inline-size: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
[aria-busy=true] tbody { opacity: 0.55; }
caption { padding: 0.25rem 0.5rem 0.5rem; font-weight: 700; font-size: 1.125rem; text-align: start; }
th {
  padding: 0.25rem 0.5rem;
  color: var(--_muted);
  font-size: 0.75rem;
  font-weight: 600;
  letter-spacing: 0.02em;
  text-align: start;
  white-space: nowrap;
}
td { padding: 0.45rem 0.5rem; border-block-start: 1px solid var(--_line); }
.apart tr:first-child td { border-block-start: 3px dotted var(--_line); }
.rank { inline-size: 1%; text-align: center; color: var(--_muted); white-space: nowrap; }
.rank span { display: inline-block; min-inline-size: 1.75em; border-radius: 99px; line-height: 1.75; }
.medal-1 span { background: #f3ca52; color: #3d2f00; font-weight: 700; }
.medal-2 span { background: #ccd3da; color: #262c33; font-weight: 700; }
.medal-3 span { background: #e2a878; color: #40210a; font-weight: 700; }
.name { min-inline-size: 5em; overflow-wrap: anywhere; }
.name span { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3; }
.nameless { color: var(--_muted); font-style: italic; }
.score { inline-size: 1%; text-align: end; font-weight: 600; white-space: nowrap; }
[aria-current] td { background: var(--_own); }
[aria-current] td:first-child { border-start-start-radius: 8px; border-end-start-radius: 8px; }
[aria-current] td:last-child { border-start-end-radius: 8px; border-end-end-radius: 8px; }
[aria-current] .name::after {
  content: attr(data-you);
  color: var(--_accent);
  font-size: 0.75rem;
  font-weight: 700;
}
p { margin: 0; padding: 1.5rem 0.5rem; color: var(--_muted); text-align: center; text-wrap: balance; }
[role=alert] { padding-block: 0.5rem; color: light-dark(#9c2a1b, #ffb4a5); font-size: 0.875rem; }
footer {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  gap: 0 1rem;
  padding: 0.5rem 0.5rem 0;
  color: var(--_muted);
  font-size: 0.8125rem;
  font-variant-numeric: tabular-nums;
}
`);

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/** Reads `mode:words;level:a1`. */
const readSplits = (text) => Object.fromEntries((text ?? "").split(";").filter(Boolean).map((pair) => pair.split(":")));

export class LaurelBoard extends HTMLElement {
  static observedAttributes = [
    ...["src", "board", "window", "windows", "at", "limit", "player", "format", "unit", "splits", "refresh"],
    ...Object.keys(LABELS).map((name) => "label-" + name),
  ];

  #turn = 0;
  #pace = QUICK;
  #shown = "";
  #standing; // whose rows are shown
  #around = [];
  #panel = make("div", { part: "panel", id: "panel" });
  #tabs = make("div", { part: "tabs", role: "tablist" });
  #total = make("span", { part: "total" });
  #reset = make("span", { part: "reset" });
  #foot = make("footer", { part: "foot", hidden: "" }, this.#total, this.#reset);
  #board;
  #alert;
  #timer;
  #ticking;
  #data;
  #looked = 0;
  #ranked = 0;
  #ends;
  #endsAt = Infinity;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    root.append(this.#tabs, this.#panel, this.#foot);
    this.#tabs.addEventListener("click", ({ target }) => target.dataset.window && this.#choose(target.dataset.window));
    this.#tabs.addEventListener("keydown", (event) => this.#walk(event));
  }

  connectedCallback() {
    document.addEventListener("visibilitychange", this.#onVisible);
    addEventListener("laurel", this.#onSubmit);
    addEventListener("storage", this.#onSubmit);
    this.#ticking = setInterval(() => this.#tick(), 1000);
    this.#restart();
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this.#onVisible);
    removeEventListener("laurel", this.#onSubmit);
    removeEventListener("storage", this.#onSubmit);
    clearInterval(this.#ticking);
    clearTimeout(this.#timer);
    this.#turn++;
  }

  attributeChangedCallback(name, before, after) {
    if (this.isConnected && before != after) this.#restart();
  }

  /** Looks for changes now. */
  refresh() {
    return this.#load("no-cache");
  }

  /** What is shown, as `GET /top` answered it. */
  get data() {
    return this.#data;
  }

  #label(name, values = {}) {
    const text = this.getAttribute("label-" + name) ?? LABELS[name] ?? name;
    return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  }

  get #windows() {
    return (this.getAttribute("windows") ?? "").split(/[\s,]+/).filter(Boolean);
  }

  get #window() {
    return this.getAttribute("window") || this.#windows[0];
  }

  #open() {
    const src = this.getAttribute("src") ?? new URL(".", import.meta.url).href;
    return laurel(src.startsWith("{") ? JSON.parse(src) : src, { board: this.getAttribute("board") ?? "" });
  }

  #restart() {
    this.#board = this.#ends = undefined;
    this.#shown = "";
    this.#pace = QUICK;
    this.#drawTabs();
    this.#panel.setAttribute("aria-busy", "true");
    clearTimeout(this.#timer);
    this.#turn++; // what is on its way answers another question
    this.#timer = setTimeout(() => this.#load("reload"));
  }

  #onVisible = () => {
    if (!document.hidden && Date.now() - this.#looked >= this.#pace) this.#load("no-cache");
  };

  #onSubmit = ({ type, key, detail }) => {
    const board = this.getAttribute("board");
    const fits = type == "laurel" ? detail.board == board : key?.startsWith("laurel:last:") && key.endsWith(` ${board} `);
    if (fits) this.#restart();
  };

  #again(ms) {
    clearTimeout(this.#timer);
    const fixed = this.getAttribute("refresh");
    if (fixed == "0") return;
    this.#timer = setTimeout(() => document.hidden || this.#load("no-cache"), Math.max(ms, fixed * 1000));
  }

  /** Asks for the page, and for the own row where the page does not have it. */
  async #load(cache) {
    const turn = ++this.#turn;
    const standing = ["src", "board", "at", "splits"].map((name) => this.getAttribute(name)) + this.#window;
    this.#looked = Date.now();
    try {
      const board = (this.#board ??= this.#open());
      const get = (name) => this.getAttribute(name) || null;
      const asked = { window: this.#window, at: get("at"), splits: readSplits(get("splits")) };
      const data = await board.top({ ...asked, limit: get("limit"), cache });
      const player = get("player") ?? board.player;
      const changed = JSON.stringify([player, { ...data, resets_in: 0 }]);
      const isNew = changed != this.#shown;
      const isOff = player && data.next && !data.entries.some((entry) => entry.player == player);
      let around = isOff ? this.#around : [];
      if (isOff && turn == this.#turn && (isNew || Date.now() - this.#ranked > SLOW)) {
        const near = (await board.rank({ ...asked, player, around: 1 })).entries;
        const own = near.findIndex((entry) => entry.player == player);
        around = near.slice(Math.max(0, own - 1), own + 2); // at the edges there are more on one side
        this.#ranked = Date.now();
      }
      if (turn != this.#turn) return;
      this.#shown = changed;
      this.#standing = standing;
      this.#around = around;
      this.#pace = isNew ? QUICK : Math.min(this.#pace * 1.5, SLOW);
      this.#again(this.#pace);
      this.#draw(data, player); // may find the period over, and then asks sooner
    } catch (error) {
      if (turn != this.#turn) return;
      if (standing != this.#standing) this.#clear();
      this.#fail(error);
    }
  }

  /** Takes away what is shown: it is of another standing than is asked for. */
  #clear() {
    this.#panel.replaceChildren();
    this.#total.textContent = "";
    this.#endsAt = Infinity;
    this.#tick();
  }

  #fail(error) {
    const { status, wait = 0 } = error;
    const passes = !status || status == 429 || status >= 500;
    this.#panel.removeAttribute("aria-busy");
    this.#alert?.remove();
    this.#alert = make("p", { role: "alert", part: "error" }, this.#label(passes ? "error" : "refused"));
    this.shadowRoot.insertBefore(this.#alert, this.#foot);
    this.dispatchEvent(new CustomEvent("laurel-error", { detail: error }));
    this.#pace = Math.min(this.#pace * 1.5, SLOW);
    if (passes) this.#again(Math.max(this.#pace, wait));
  }

  #draw(data, player) {
    const { entries, total, ends, resets_in: left } = data;
    this.#data = data;
    this.#alert?.remove();
    this.#panel.removeAttribute("aria-busy");
    if (ends !== this.#ends) {
      // Only then: an unchanged page may come from the browser's cache, with the seconds of an earlier look.
      this.#ends = ends;
      this.#endsAt = left ? Date.now() + left * 1000 : Infinity;
    }
    const onPage = new Set(entries.map((entry) => entry.player));
    const around = this.#around.filter((entry) => !onPage.has(entry.player));
    this.#panel.replaceChildren(
      total || entries.length
        ? this.#table(entries, around, player)
        : make("p", { part: "empty" }, this.#label("empty")),
    );
    this.#total.textContent = total ? this.#label("total", { n: this.#number(total) }) : "";
    this.#tick();
    this.dispatchEvent(new CustomEvent("laurel-load", { detail: data }));
  }

  #table(entries, around, player) {
    const head = ["rank", "player", "score"].map((name) => {
      const side = name == "player" ? "name" : name;
      return make("th", { scope: "col", part: "head", class: side }, this.#label(name));
    });
    const rows = [...entries, ...around];
    const decimals = Math.max(...rows.map(({ score }) => Math.min(3, `${this.#seconds(score)}`.split(".")[1]?.length ?? 0)));
    const apart = around.length && around[0].rank - (entries.at(-1)?.rank ?? 0) > 1;
    const bodies = [entries, around].filter((some) => some.length).map((some) =>
      make(
        "tbody",
        { class: apart && some == around ? "apart" : null },
        ...some.map((entry) => this.#row(entry, entry.player == player, decimals)),
      ),
    );
    const title = this.#label("title");
    const caption = title ? [make("caption", { part: "title" }, title)] : [];
    const named = title ? {} : { "aria-label": this.getAttribute("board") };
    return make("table", { part: "table", ...named }, ...caption, make("thead", {}, make("tr", {}, ...head)), ...bodies);
  }

  #row({ rank, player, name, score }, own, decimals) {
    const shown = name ?? (player.startsWith("p_") ? this.#label("anonymous") : player);
    // Isolated, so that a name written from right to left moves nothing but itself.
    const text = make("span", { title: shown, class: name == null ? "nameless" : null }, make("bdi", {}, shown));
    return make(
      "tr",
      { part: own ? "row own" : "row", "aria-current": own ? "true" : null },
      make("td", { part: "rank", class: `rank medal-${rank}` }, make("span", {}, this.#number(rank))),
      make("td", { part: "name", class: "name", "data-you": this.#label("you") }, text),
      make("td", { part: "score", class: "score" }, this.#score(score, decimals)),
    );
  }

  get #lang() {
    try {
      return Intl.getCanonicalLocales(this.closest("[lang]")?.lang || [])[0];
    } catch {} // no language tag: the browser's own
  }

  #number(value, options) {
    // As `_number` of lib/reading/svg_card.py: a tiny score would be shown as 0.
    if (value && Math.abs(value) < 1e-6 && !options) return `${value}`;
    return new Intl.NumberFormat(this.#lang, { maximumFractionDigits: 20, ...options }).format(value);
  }

  #seconds(score) {
    return this.getAttribute("unit") == "ms" ? score / 1000 : score;
  }

  /** Writes a score as a number, as points, or as a time such as 1:02:03.450. */
  #score(score, decimals) {
    const format = this.getAttribute("format");
    if (format == "points") return this.#label("points", { n: this.#number(score) });
    if (format != "time") return this.#number(score);
    const scale = 10 ** decimals;
    const ticks = Math.round(Math.abs(this.#seconds(score)) * scale);
    const minutes = Math.floor(ticks / scale / 60);
    const two = { minimumIntegerDigits: 2 };
    const places = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    const parts = minutes < 60 ? [this.#number(minutes)] : [this.#number(Math.floor(minutes / 60)), this.#number(minutes % 60, two)];
    const rest = (ticks - minutes * 60 * scale) / scale;
    return (score < 0 ? "−" : "") + [...parts, this.#number(rest, { ...two, ...places })].join(":");
  }

  #tick() {
    const left = Math.ceil((this.#endsAt - Date.now()) / 1000);
    const text = left > 0 && left < Infinity ? this.#label("resets", { time: this.#duration(left) }) : "";
    if (this.#reset.textContent != text) this.#reset.textContent = text;
    this.#foot.hidden = !text && !this.#total.textContent;
    if (left <= 0 && !document.hidden) {
      this.#endsAt = Infinity;
      this.#ends = undefined;
      clearTimeout(this.#timer);
      // Spread, because every page that shows this board comes at the same moment.
      this.#timer = setTimeout(() => this.#load("reload"), 500 + Math.random() * 2000);
    }
  }

  /** Writes seconds as their two largest units. */
  #duration(seconds) {
    const first = UNITS.findIndex(([, size]) => seconds >= size);
    let rest = seconds;
    return UNITS.slice(first, first + 2).map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return this.#number(count, { style: "unit", unit, unitDisplay: "narrow" });
    }).join(" ");
  }

  #drawTabs() {
    const windows = this.#windows;
    this.#tabs.hidden = windows.length < 2;
    this.#tabs.setAttribute("aria-label", this.#label("windows"));
    const known = [...this.#tabs.children].map((tab) => tab.dataset.window);
    if (`${known}` != `${windows}`) {
      const tab = (window) => make("button", { type: "button", role: "tab", part: "tab", id: "tab-" + window, "data-window": window });
      this.#tabs.replaceChildren(...windows.map(tab));
    }
    for (const tab of this.#tabs.children) {
      const chosen = tab.dataset.window == this.#window;
      tab.textContent = this.#label(tab.dataset.window);
      tab.setAttribute("aria-selected", chosen);
      tab.setAttribute("aria-controls", "panel");
      tab.tabIndex = chosen || !windows.includes(this.#window) ? 0 : -1;
    }
    if (this.#tabs.hidden) return ["role", "aria-labelledby"].forEach((name) => this.#panel.removeAttribute(name));
    this.#panel.setAttribute("role", "tabpanel");
    this.#panel.setAttribute("aria-labelledby", "tab-" + this.#window);
  }

  #choose(window) {
    this.setAttribute("window", window);
    this.#tabs.querySelector("[aria-selected=true]")?.focus();
  }

  #walk(event) {
    const windows = this.#windows;
    const now = windows.indexOf(this.#window);
    const forward = getComputedStyle(this).direction == "rtl" ? -1 : 1;
    const steps = { ArrowRight: now + forward, ArrowLeft: now - forward, Home: 0, End: windows.length - 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.#choose(windows.at(steps[event.key] % windows.length));
  }
}

if (!customElements.get("laurel-board")) customElements.define("laurel-board", LaurelBoard);

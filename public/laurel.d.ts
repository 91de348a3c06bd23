/** The types of laurel.js. Every answer is the JSON of the API, unchanged: docs.html has the reference. */

/** A base URL that has all functions below it, or the URL of each function (AWS Lambda). */
export type LaurelUrl = string | URL | { submit: string; top: string; rank: string; start?: string; health?: string };

export type Window = "all" | "daily" | "weekly" | "monthly" | "yearly" | "season";
export type Meta = Record<string, string | number | boolean>;

/** One place of the board, remembered in the browser. */
export interface Board {
  /** The kept player's id, or null while there is none. */
  readonly player: string | null;
  /**
   * Begins a run. Keeps the player, their token, and the ticket, which the next `submit` in this tab uses once.
   * Needed on boards with `auth = "ticket"`; on others it gives the player an id that nobody else can take.
   */
  start(): Promise<Started>;
  /**
   * Submits a score, once, whatever happens to the network or to the page.
   *
   * It is stored before it is first sent, and tried again after network errors, 429 and 503 for 30 seconds. After
   * that, or at once while offline or where a split is full (which may last a day), the promise rejects with the code
   * `queued`; the score goes out when the browser is online again or the wait is over, and when this board is next
   * opened on this origin. Any other refusal rejects with its own code.
   */
  submit(score: number, options?: Submission): Promise<Submitted>;
  /** Reads the first rows of several standings, each once: `splits` is a list such as `"overall,mode:time"`. */
  top(query: TopsQuery): Promise<{ tops: Top[] }>;
  /** Reads one page. For an hour after a submission from this browser the page shows it, even if pages are cached. */
  top(query?: TopQuery): Promise<Top>;
  /** Finds several players, each once, in the order asked. */
  rank(query: Standing & { players: string[] | string }): Promise<Selected & { entries: (Row | Unranked)[] }>;
  /** Tells the rank that a newcomer would get with a score; null if it would be cut. */
  rank(query: Standing & { score: number }): Promise<Selected & { rank: number | null }>;
  /** Finds one player, by default one's own, with up to `around` neighbours on either side. */
  rank(query?: Standing & { player?: string; around?: number }): Promise<Ranked>;
}

/** Opens a board, and sends what an earlier visit could not send. */
export function laurel(url: LaurelUrl, options: { board: string }): Board;

/** A refusal by the server, or what kept a request from getting an answer. */
export class LaurelError extends Error {
  constructor(code: string, message?: string, more?: object);
  readonly name: "LaurelError";
  /**
   * The code of the problem document, such as `ticket_expired`; or `network`, when nothing answered; `queued`, when a
   * submission is kept and will be sent later; `http_502` and the like, when something else than Laurel answered.
   */
  readonly code: string;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** How long the server asks to wait, in milliseconds; 0 where it does not say. */
  readonly wait?: number;
  /** The whole problem document (RFC 9457). */
  readonly problem?: { type: string; title: string; status: number; detail: string; code: string; errors?: Fault[] };
}

export interface Fault {
  /** The dotted path of the field that is wrong, such as `meta.depth`. */
  loc: string;
  msg: string;
}

export interface Submission {
  /** By default a new one for each submission; the same again is the same submission. */
  id?: string;
  name?: string;
  meta?: Meta;
  splits?: Record<string, string>;
  /** Required on a board with `tiebreak`, refused on others. */
  tiebreak?: number;
  /** For which standings the answer has rank and total; by default those that this score improved. */
  ranks?: "improved" | "all" | "none";
}

export interface Started {
  ticket: string;
  player: string;
  player_token: string | null;
  /** Until when the ticket is good. */
  expires: string;
}

export interface Submitted {
  board: string;
  player: string;
  /** Whether this score now stands for the player in any standing. */
  improved: boolean;
  /** Whether this submission had been counted before. */
  replayed: boolean;
  standings: {
    window: Window;
    period: string;
    starts: string | null;
    ends: string | null;
    splits: Record<string, string>;
    improved: boolean;
    /** Whether the player is among the ranked. */
    kept: boolean;
    /** What now stands for the player. */
    score: number | null;
    previous: number | null;
    rank: number | null;
    total: number | null;
    /** The score to beat, where a newcomer was cut. */
    cutoff: number | null;
  }[];
}

export interface Standing {
  window?: Window;
  /** The period: 0 for the current one, -1 for the one before, or a period's id. */
  at?: number | string;
  splits?: Record<string, string>;
  /** The cache mode of `fetch`. */
  cache?: RequestCache;
}

export interface TopQuery extends Standing {
  /** 1 to 100, by default 10. */
  limit?: number;
  offset?: number;
  /** Adds that player's own row as `me`; such an answer is never cached. */
  player?: string;
}

export interface TopsQuery {
  windows?: Window[] | string;
  splits?: string;
  at?: number | string;
  limit?: number;
  cache?: RequestCache;
}

export interface Row {
  rank: number;
  player: string;
  score: number;
  tiebreak: number | null;
  name: string | null;
  meta: Meta;
  /** When the score was made. */
  at: string;
}

export type Unranked = { player: string } & Record<Exclude<keyof Row, "player">, null>;

export interface Selected {
  board: string;
  window: Window;
  period: string;
  starts: string | null;
  ends: string | null;
  /** Whole seconds until the period ends; 0 for earlier periods, null for `all`. */
  resets_in: number | null;
  splits: Record<string, string>;
  /** How many are ranked. */
  total: number;
}

export interface Top extends Selected {
  /** How many entries are kept; 0 where there is no cap. */
  cap: number;
  /** The offset of the next page, or null. */
  next: number | null;
  entries: Row[];
  /** With `player` only: that player's own row, or null. */
  me?: Row | null;
}

export interface Ranked extends Selected {
  entry: Row | null;
  /** The score of a known player who is not ranked, and the one to beat. */
  best: number | null;
  cutoff: number | null;
  /** 100 for the first. */
  percentile: number | null;
  ahead: { player: string; score: number; gap: number } | null;
  /** The neighbours, the player included. */
  entries: Row[];
}

declare global {
  interface WindowEventMap {
    /** Dispatched on the window whenever a submission was counted. */
    laurel: CustomEvent<Submitted>;
  }
}

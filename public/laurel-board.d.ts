/** The types of laurel-board.js: the element `<laurel-board>`, and all that can be set on it. */
import type { LaurelError, Top } from "./laurel.js";

/**
 * A standing as a table that keeps itself fresh while it is visible.
 *
 * Attributes, all of them live:
 * - `src`: the base URL, or a JSON object with a URL for each function (`{"submit": …, "top": …, "rank": …}`); by
 *   default where laurel-board.js came from. It is what the game gives to `laurel()`, for then the own row is known.
 * - `board`; `window`, by default the board's first; `windows`, a list such as `all,daily`, shown as tabs;
 *   `at` (`0`, `-1`, … or a period's id); `splits` (`mode:words;level:a1`); `limit`, by default 10.
 * - `player`: whose row is the own one; by default the player kept by `laurel()` for the same `src`.
 * - `format`: `number` (default), `points`, or `time`, for scores in seconds, or in milliseconds with `unit="ms"`.
 * - `refresh`: at least so many seconds between two looks; 0 for none. By default 10, up to 60 while nothing changes.
 * - `label-…`: the words, to translate them: `title rank player score you anonymous points total resets empty error
 *   refused windows all daily weekly monthly yearly season`. `{n}` stands for the number, `{time}` for the time left.
 *   Numbers follow the nearest `lang`.
 *
 * Custom properties: `--laurel-color`, `--laurel-muted`, `--laurel-background`, `--laurel-line`, `--laurel-accent`,
 * `--laurel-own`, `--laurel-radius`, `--laurel-padding`, `--laurel-font`. It follows the system into the dark, unless
 * a page sets `color-scheme` on it. Parts: `tabs tab panel table title head row own rank name score empty error foot
 * total reset`.
 */
export class LaurelBoard extends HTMLElement {
  /** What is shown, as `GET /top` answered it. */
  readonly data: Top | undefined;
  /** Looks for changes now. */
  refresh(): Promise<void>;
}

declare global {
  interface HTMLElementTagNameMap {
    "laurel-board": LaurelBoard;
  }
  interface HTMLElementEventMap {
    "laurel-load": CustomEvent<Top>;
    "laurel-error": CustomEvent<LaurelError>;
  }
}

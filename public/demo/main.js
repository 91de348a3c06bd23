/** The demo page: start, play, submit, and see yourself on the board. */
import "./requests.js";
import { LaurelError, laurel } from "../laurel.js";
import { Painter } from "./painter.js";
import { instinct, Run } from "./run.js";
import { Sound } from "./sound.js";

const find = (id) => document.getElementById(id);
const [game, canvas, score, message, save, name, send, dig, mute] = "game canvas score message save name send dig mute"
  .split(" ")
  .map(find);
const ENDINGS = { one: "st", two: "nd", few: "rd", other: "th" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

const board = laurel("/", { board: "burrow" });
const painter = new Painter(canvas);
const held = new Set();
let run = new Run();
let playing = false;
let pointer = null;
let before = 0;

/** A preference that is nice to keep, and no loss where storage is blocked. */
const kept = (key, value) => {
  try {
    if (value != null) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

const sound = new Sound(kept("burrow:mute") != "true");
mute.setAttribute("aria-pressed", !sound.on);
name.value = kept("burrow:name") ?? "";

const steering = () => {
  if (pointer != null) return { x: pointer };
  const left = held.has("ArrowLeft") || held.has("KeyA");
  const right = held.has("ArrowRight") || held.has("KeyD");
  return right - left;
};

const frame = (now) => {
  const dt = Math.min(0.034, (now - before) / 1000);
  before = now;
  if (!run.over) {
    const events = run.step(dt, playing ? steering() : instinct(run));
    painter.show(events);
    if (playing) sound.play(events);
    if (run.over && playing) finish();
  } else if (!playing && save.hidden && score.hidden) {
    run = new Run(); // the mole that digs while nobody plays begins again
  }
  painter.draw(run, dt, { playing });
  requestAnimationFrame(frame);
};

const begin = () => {
  run = new Run();
  painter.clear();
  held.clear();
  pointer = null;
  playing = true;
  game.classList.add("playing");
  // The board is open, so a run may go on without its ticket; with it the player belongs to this browser.
  board.start().catch(() => {});
};

const finish = () => {
  playing = false;
  game.classList.remove("playing");
  score.textContent = run.score.toLocaleString();
  message.textContent = `${run.depth} metres deep. Put it on the board?`;
  score.hidden = save.hidden = false;
  send.disabled = false;
  dig.textContent = "Dig again";
  dig.className = "quiet";
};

const told = ({ standings }) => {
  const { rank, total, improved, score: best } = standings.find(({ window }) => window == "daily") ?? standings[0];
  const place = rank ? `You are ${rank}${ENDINGS[ordinals.select(rank)]} of ${total} today` : "Saved";
  return improved ? `${place}.` : `${place}, with your best of ${best.toLocaleString()}.`;
};

const submit = async (event) => {
  event.preventDefault();
  send.disabled = true;
  message.textContent = "Saving …";
  kept("burrow:name", name.value);
  const { score, depth } = run;
  try {
    const answer = await board.submit(score, {
      name: name.value || undefined,
      meta: { depth, ship: "mole" },
      splits: { mode: "time" },
      ranks: "all",
    });
    message.textContent = told(answer);
    save.hidden = true;
  } catch (error) {
    const isQueued = error instanceof LaurelError && error.code == "queued";
    message.textContent = isQueued ? "You seem to be offline. The score is kept and goes out by itself." : error.message;
    save.hidden = isQueued;
    send.disabled = false;
  }
  dig.className = "";
};

const place = (event) => ((event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth) * 360;

canvas.addEventListener("pointerdown", (event) => {
  if (!playing) return;
  canvas.setPointerCapture(event.pointerId);
  pointer = place(event);
});
canvas.addEventListener("pointermove", (event) => {
  if (playing && pointer != null) pointer = place(event);
});
for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, () => (pointer = null));

addEventListener("keydown", (event) => {
  if (!playing || event.target == mute) return;
  held.add(event.code);
  if (/^(Arrow|Space)/.test(event.code)) event.preventDefault();
});
addEventListener("keyup", (event) => held.delete(event.code));
addEventListener("blur", () => held.clear());

dig.addEventListener("click", begin);
save.addEventListener("submit", submit);
mute.addEventListener("click", () => {
  sound.on = !sound.on;
  mute.setAttribute("aria-pressed", !sound.on);
  kept("burrow:mute", !sound.on);
});

find("embed").firstChild.textContent = `<script type="module"
  src="${location.origin}/laurel-board.js"></script>
<laurel-board src="${location.origin}"
  board="burrow" windows="daily,all"></laurel-board>`;
find("code").firstChild.textContent = `import { laurel } from
  "${location.origin}/laurel.js";
const board = laurel("${location.origin}",
  { board: "burrow" });
await board.submit(1850, { name: "Mina" });`;

requestAnimationFrame((now) => {
  before = now;
  frame(now);
});

/** One run of the demo game: a mole digs, the player steers. Nothing here draws, sounds or knows the page. */

export const WIDTH = 360;
export const HEIGHT = 520;
export const MOLE_Y = 150; // where on the screen the mole digs: what comes is below
export const METRE = 20; // in world units
const SECONDS = 60;
const FEVER_SECONDS = 5;
const FEVER_GEMS = 16;
const MARGIN = 22;

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/**
 * The state of one run. `step` moves it on and returns what happened, as a list of `{kind, x, y, …}`; the kinds are
 * `gem`, `dew`, `smash`, `hit`, `fever` and `over`. Distances are world units, y grows downwards, times are seconds.
 */
export class Run {
  constructor(random = Math.random) {
    this.random = random;
    this.x = WIDTH / 2;
    this.drift = 0;
    this.y = -70;
    this.time = 0;
    this.clock = SECONDS;
    this.points = 0;
    this.streak = 0;
    this.sinceGem = 0;
    this.fever = 0;
    this.heat = 0;
    this.dazed = 0;
    this.items = [];
    this.trail = [];
    this.over = false;
    this.spawned = 260;
    this.column = WIDTH / 2;
  }

  /** Whole metres below the grass. */
  get depth() {
    return Math.max(0, Math.floor(this.y / METRE));
  }

  get score() {
    return this.points + this.depth;
  }

  /** What a gem counts: more after every five in a row. */
  get multiplier() {
    return Math.min(6, 1 + Math.floor(this.streak / 5));
  }

  get speed() {
    const steady = 175 + 165 * (1 - Math.exp(-this.time / 32));
    return steady * (this.fever > 0 ? 1.3 : 1) * (this.dazed > 0 ? 0.55 : 1);
  }

  /** Moves on by `dt` seconds; `steer` is -1 to 1, or `{x}` for a place to go to. */
  step(dt, steer) {
    const events = [];
    this.time += dt;
    this.clock -= dt;
    this.sinceGem += dt;
    this.dazed = Math.max(0, this.dazed - dt);
    this.fever = Math.max(0, this.fever - dt);
    if (this.fever === 0) this.heat = Math.max(0, this.heat - dt * 0.03);
    if (this.sinceGem > 1.6) this.streak = 0;
    this.#move(dt, steer);
    this.#spawn();
    this.#meet(dt, events);
    if (this.clock <= 0) {
      this.clock = 0;
      this.over = true;
      events.push({ kind: "over", x: this.x, y: this.y });
    }
    return events;
  }

  #move(dt, steer) {
    const wanted = typeof steer == "number" ? steer * 330 : clamp((steer.x - this.x) * 11, -430, 430);
    this.drift += (wanted - this.drift) * Math.min(1, dt * 13);
    this.x += this.drift * dt;
    if (this.x < MARGIN || this.x > WIDTH - MARGIN) {
      this.x = clamp(this.x, MARGIN, WIDTH - MARGIN);
      this.drift = 0;
    }
    this.y += this.speed * dt;
    this.trail.push({ x: this.x, y: this.y });
    while (this.trail.length && this.trail[0].y < this.y - MOLE_Y - 60) this.trail.shift();
  }

  #spawn() {
    while (this.spawned < this.y + HEIGHT) {
      const hard = Math.min(1, this.time / 45);
      const roll = this.random();
      if (roll < 0.42) this.#vein(hard);
      else if (roll < 0.68) this.#gate(hard);
      else if (roll < 0.9) this.#field(hard);
      else this.#well(hard);
      this.spawned += 70 - 25 * hard;
    }
  }

  #put(kind, x, y, r) {
    this.items.push({ kind, x: clamp(x, 16, WIDTH - 16), y, r, turn: this.random() * 6.28, shape: this.random() });
  }

  #between(least, most) {
    return least + this.random() * (most - least);
  }

  /** A winding row of gems, which leads on from where the last one ended. */
  #vein(hard) {
    const count = Math.round(this.#between(7, 12));
    const swing = this.#between(50, 115) * (this.random() < 0.5 ? -1 : 1);
    const middle = clamp(this.column, 110, WIDTH - 110);
    for (let i = 0; i < count; i++) {
      const x = middle + Math.sin((i / count) * Math.PI * 1.6) * swing;
      this.#put(i == count - 1 ? "jewel" : "gem", x, this.spawned + i * 36, i == count - 1 ? 15 : 11);
      if (i % 3 == 2 && this.random() < 0.25 + hard * 0.6) {
        const side = x > WIDTH / 2 ? -1 : 1;
        this.#put("rock", x + side * this.#between(85, 120), this.spawned + i * 36, this.#between(18, 28));
      }
      this.column = x;
    }
    this.spawned += count * 36;
  }

  /** Two walls of rock with gems in the gap. */
  #gate(hard) {
    const gap = 118 - 34 * hard;
    const x = clamp(this.column + this.#between(-130, 130), 80, WIDTH - 80);
    for (let left = x - gap / 2 - 26; left > -26; left -= 50) this.#put("rock", left, this.spawned + this.#between(-6, 6), 27);
    for (let right = x + gap / 2 + 26; right < WIDTH + 26; right += 50) this.#put("rock", right, this.spawned + this.#between(-6, 6), 27);
    for (let i = -2; i <= 2; i++) this.#put("gem", x, this.spawned + i * 34, 11);
    this.column = x;
    this.spawned += 120;
  }

  /** Scattered rocks, with a jewel somewhere among them. */
  #field(hard) {
    const rows = 3;
    for (let row = 0; row < rows; row++) {
      const free = this.#between(60, WIDTH - 60);
      const count = 1 + Math.round(this.random() + hard);
      for (let i = 0; i < count; i++) {
        const x = this.#between(20, WIDTH - 20);
        if (Math.abs(x - free) > 62) this.#put("rock", x, this.spawned + row * 105 + this.#between(-18, 18), this.#between(18, 32));
      }
      this.#put(row == 1 ? "jewel" : "gem", free, this.spawned + row * 105, row == 1 ? 15 : 11);
      this.column = free;
    }
    this.spawned += rows * 105;
  }

  /** Dew, which gives time, behind a rock. */
  #well(hard) {
    const x = this.#between(60, WIDTH - 60);
    if (hard > 0.2) this.#put("rock", x, this.spawned, 26);
    this.#put("dew", x, this.spawned + 70, 13);
    this.column = x;
    this.spawned += 110;
  }

  #meet(dt, events) {
    const reach = this.fever > 0 ? 110 : 58;
    for (const item of this.items) {
      const dx = this.x - item.x;
      const dy = this.y - item.y;
      const distance = Math.hypot(dx, dy);
      if (item.kind == "rock") {
        if (distance < item.r + 13 && (this.fever > 0 || this.dazed == 0)) this.#strike(item, events);
      } else if (distance < item.r + 20) {
        this.#take(item, events);
      } else if (distance < reach) {
        // Near misses feel unfair, so gems come the last bit of the way by themselves.
        item.x += dx * Math.min(1, dt * 7);
        item.y += dy * Math.min(1, dt * 7);
      }
    }
    this.items = this.items.filter((item) => !item.gone && item.y > this.y - MOLE_Y - 60);
  }

  #take(item, events) {
    item.gone = true;
    if (item.kind == "dew") {
      this.clock = Math.min(SECONDS, this.clock + 4);
      events.push({ kind: "dew", x: item.x, y: item.y });
      return;
    }
    const worth = (item.kind == "jewel" ? 50 : 10) * this.multiplier;
    this.points += worth;
    this.streak += 1;
    this.sinceGem = 0;
    events.push({ kind: "gem", jewel: item.kind == "jewel", worth, streak: this.streak, x: item.x, y: item.y });
    if (this.fever > 0) return;
    this.heat += (item.kind == "jewel" ? 3 : 1) / FEVER_GEMS;
    if (this.heat >= 1) {
      this.heat = 0;
      this.fever = FEVER_SECONDS;
      this.dazed = 0;
      events.push({ kind: "fever", x: this.x, y: this.y });
    }
  }

  #strike(item, events) {
    item.gone = true;
    if (this.fever > 0) {
      const worth = 25 * this.multiplier;
      this.points += worth;
      this.sinceGem = 0;
      events.push({ kind: "smash", worth, x: item.x, y: item.y });
      return;
    }
    this.streak = 0;
    this.heat = Math.max(0, this.heat - 0.35);
    this.dazed = 0.9;
    this.clock = Math.max(0, this.clock - 5);
    events.push({ kind: "hit", x: item.x, y: item.y });
  }
}

/** Where a mole without a player goes: to the next gem, around the next rock. */
export function instinct(run) {
  const ahead = run.items.filter((item) => item.y > run.y + 10 && item.y < run.y + 230);
  const goal = ahead.find((item) => item.kind != "rock");
  const rock = ahead.find((item) => item.kind == "rock" && Math.abs(item.x - run.x) < item.r + 24 && item.y < run.y + 120);
  if (rock) return { x: rock.x + (run.x < rock.x ? -1 : 1) * (rock.r + 40) };
  return { x: goal?.x ?? WIDTH / 2 };
}

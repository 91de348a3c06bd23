/** Draws a run of the demo game on a canvas. */
import { HEIGHT, METRE, MOLE_Y, WIDTH } from "./run.js";

// Earth from the grass down: the depth in metres, the soil, and the specks in it.
const LAYERS = [
  [0, [124, 86, 54], [150, 110, 72]],
  [120, [104, 66, 52], [138, 92, 70]],
  [260, [82, 58, 78], [118, 84, 104]],
  [420, [48, 56, 96], [78, 90, 138]],
  [600, [24, 52, 78], [52, 100, 128]],
  [900, [18, 26, 44], [64, 74, 110]],
];
const GEMS = ["#ffd75e", "#7ee0c3", "#ff9eb5", "#a9c8ff"];

const mix = (a, b, part) => a.map((value, i) => Math.round(value + (b[i] - value) * part));
const rgb = (color, alpha = 1) => `rgb(${color[0]} ${color[1]} ${color[2]} / ${alpha})`;

/** Noise that is the same for the same place, 0 to 1. */
const speck = (x, y) => {
  const value = Math.sin(x * 127.1 + y * 311.7) * 43758.5453;
  return value - Math.floor(value);
};

const earth = (metres) => {
  const below = LAYERS.findIndex(([from]) => from > metres);
  if (below == 0) return LAYERS[0].slice(1);
  if (below < 0) return LAYERS.at(-1).slice(1);
  const [above, next] = [LAYERS[below - 1], LAYERS[below]];
  const part = (metres - above[0]) / (next[0] - above[0]);
  return [mix(above[1], next[1], part), mix(above[2], next[2], part)];
};

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.clear();
    new ResizeObserver(() => this.#fit()).observe(canvas);
    this.#fit();
  }

  /** Forgets what flies around. */
  clear() {
    this.bits = [];
    this.words = [];
    this.shake = 0;
    this.flash = 0;
  }

  #fit() {
    const scale = (this.canvas.clientWidth / WIDTH || 1) * Math.min(2, devicePixelRatio);
    if (scale == this.scale) return;
    this.canvas.width = Math.round(WIDTH * scale);
    this.canvas.height = Math.round(HEIGHT * scale);
    this.scale = scale;
    // A canvas that changes its size is empty, and the next frame would come too late.
    if (this.drawn) this.draw(...this.drawn);
  }

  /** Turns what happened in a step into something to see. */
  show(events) {
    for (const { kind, x, y, worth, jewel } of events) {
      if (kind == "gem") this.#burst(x, y, jewel ? 14 : 7, jewel ? "#fff3bf" : "#ffe69a", 150);
      if (kind == "smash") this.#burst(x, y, 16, "#c9bfae", 260);
      if (kind == "hit") this.#burst(x, y, 20, "#8d8378", 260);
      if (kind == "dew") this.#burst(x, y, 14, "#9be1ff", 170);
      if (kind == "hit" && !this.calm.matches) this.shake = 1;
      if (kind == "fever") this.flash = 1;
      const text = { gem: `+${worth}`, smash: `+${worth}`, hit: "−5 s", dew: "+4 s", fever: "Fever!" }[kind];
      if (text) this.words.push({ text, x, y: y - 18, life: kind == "fever" ? 1.4 : 0.8, kind });
    }
  }

  #burst(x, y, count, color, speed) {
    for (let i = 0; i < count; i++) {
      const way = Math.random() * 6.28;
      const pace = speed * (0.3 + Math.random());
      this.bits.push({ x, y, dx: Math.cos(way) * pace, dy: Math.sin(way) * pace, life: 0.5 + Math.random() * 0.3, color });
    }
  }

  #age(run, dt) {
    if (!run.over && run.y > 0 && Math.random() < 0.8) {
      const side = Math.random() < 0.5 ? -1 : 1;
      const [, light] = earth(run.depth);
      this.bits.push({ x: run.x + side * 12, y: run.y + 8, dx: side * 60 + run.drift * 0.2, dy: -130, life: 0.45, color: rgb(light) });
    }
    for (const bit of this.bits) {
      bit.life -= dt;
      bit.x += bit.dx * dt;
      bit.y += bit.dy * dt;
      bit.dy += 300 * dt;
    }
    for (const word of this.words) {
      word.life -= dt;
      word.y += (run.speed - 55) * dt;
    }
    this.bits = this.bits.filter((bit) => bit.life > 0);
    this.words = this.words.filter((word) => word.life > 0);
    this.shake = Math.max(0, this.shake - dt * 3);
    this.flash = Math.max(0, this.flash - dt * 2);
  }

  /** Draws one picture, `dt` seconds after the last; the numbers only while somebody plays. */
  draw(run, dt, { playing }) {
    this.#age(run, dt);
    this.drawn = [run, 0, { playing }];
    const { pen } = this;
    pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    const jolt = this.shake * this.shake * 7;
    pen.translate((Math.random() - 0.5) * jolt, (Math.random() - 0.5) * jolt);
    pen.save();
    pen.translate(0, MOLE_Y - run.y);
    this.#ground(run);
    this.#tunnel(run);
    for (const item of run.items) this.#item(item, run.time);
    for (const bit of this.bits) {
      pen.globalAlpha = Math.min(1, bit.life * 3);
      pen.fillStyle = bit.color;
      pen.fillRect(bit.x - 2, bit.y - 2, 4, 4);
    }
    pen.globalAlpha = 1;
    this.#mole(run);
    pen.restore();
    this.#dusk(run);
    pen.save();
    pen.translate(0, MOLE_Y - run.y);
    this.#floating();
    pen.restore();
    if (playing) this.#numbers(run);
  }

  #ground(run) {
    const { pen } = this;
    const top = run.y - MOLE_Y;
    if (top < 0) this.#sky(top);
    const from = Math.max(0, top);
    const slope = pen.createLinearGradient(0, top, 0, top + HEIGHT);
    for (let i = 0; i <= 4; i++) slope.addColorStop(i / 4, rgb(earth((top + (HEIGHT * i) / 4) / METRE)[0]));
    pen.fillStyle = slope;
    pen.fillRect(-8, from - (from > 0 ? 8 : 0), WIDTH + 16, HEIGHT + 16);
    const cell = 30;
    for (let row = Math.floor(from / cell); row * cell < top + HEIGHT; row++) {
      pen.fillStyle = rgb(earth((row * cell) / METRE)[1], 0.55);
      for (let column = 0; column < WIDTH / cell; column++) {
        const size = speck(column, row) * 9 - 4;
        if (size < 0.8 || row < 1) continue;
        const x = (column + speck(row, column)) * cell;
        pen.beginPath();
        pen.ellipse(x, (row + speck(column + 9, row)) * cell, size * 1.5, size, speck(row, column + 5) * 3, 0, 6.3);
        pen.fill();
      }
    }
    if (top < 30) this.#grass();
  }

  #sky(top) {
    const { pen } = this;
    const air = pen.createLinearGradient(0, top, 0, 0);
    air.addColorStop(0, "#9fd3e8");
    air.addColorStop(1, "#f7eecb");
    pen.fillStyle = air;
    pen.fillRect(-8, top - 8, WIDTH + 16, 16 - top);
    pen.fillStyle = "#fff6d0";
    pen.beginPath();
    pen.arc(286, -150, 24, 0, 6.3);
    pen.fill();
    pen.fillStyle = "rgb(116 164 120 / 0.55)";
    pen.beginPath();
    pen.ellipse(70, 16, 190, 70, 0, 0, 6.3);
    pen.ellipse(330, 20, 170, 54, 0, 0, 6.3);
    pen.fill();
  }

  #grass() {
    const { pen } = this;
    pen.fillStyle = "#5f9a4f";
    pen.fillRect(-8, -6, WIDTH + 16, 16);
    pen.beginPath();
    for (let x = -8; x < WIDTH + 8; x += 7) {
      pen.moveTo(x, 2);
      pen.lineTo(x + 2 + speck(x, 1) * 3, -9 - speck(x, 2) * 9);
      pen.lineTo(x + 7, 2);
    }
    pen.fill();
  }

  #tunnel(run) {
    const dug = run.trail.filter(({ y }) => y > -14);
    if (dug.length < 2) return;
    const { pen } = this;
    const [soil] = earth(run.depth);
    pen.lineCap = pen.lineJoin = "round";
    for (const [width, shade] of [[44, 0.75], [36, 0.58]]) {
      pen.strokeStyle = rgb(mix(soil, [0, 0, 0], 1 - shade));
      pen.lineWidth = width;
      pen.beginPath();
      dug.forEach(({ x, y }, i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.stroke();
    }
  }

  #item(item, time) {
    const { pen } = this;
    pen.save();
    pen.translate(item.x, item.y);
    if (item.kind == "rock") this.#rock(item);
    else if (item.kind == "dew") this.#dew(item, time);
    else this.#gem(item, time);
    pen.restore();
  }

  #rock({ r, turn, shape }) {
    const { pen } = this;
    pen.rotate(turn);
    const corner = (i, size) => {
      const way = (i / 9) * 6.283;
      const far = r * size * (0.88 + 0.24 * speck(shape * 99, i % 9));
      return [Math.cos(way) * far, Math.sin(way) * far];
    };
    for (const [size, color] of [[1.08, "#4b463f"], [0.98, "#8b8378"]]) {
      pen.fillStyle = color;
      pen.beginPath();
      for (let i = 0; i < 9; i++) pen.lineTo(...corner(i, size));
      pen.fill();
    }
    pen.rotate(-turn);
    pen.fillStyle = "rgb(255 255 255 / 0.2)";
    pen.beginPath();
    pen.ellipse(-r * 0.28, -r * 0.36, r * 0.42, r * 0.24, -0.5, 0, 6.3);
    pen.fill();
  }

  #gem({ kind, r, shape, turn }, time) {
    const { pen } = this;
    const big = kind == "jewel";
    pen.rotate(Math.sin(time * 3 + turn) * 0.2);
    const halo = pen.createRadialGradient(0, 0, r * 0.4, 0, 0, r * 2);
    halo.addColorStop(0, "rgb(255 240 180 / 0.4)");
    halo.addColorStop(1, "rgb(255 240 180 / 0)");
    pen.fillStyle = halo;
    pen.fillRect(-r * 2, -r * 2, r * 4, r * 4);
    pen.fillStyle = big ? "#fff0a8" : GEMS[Math.floor(shape * GEMS.length)];
    pen.beginPath();
    for (const [x, y] of [[0, -1], [0.8, -0.25], [0, 1], [-0.8, -0.25]]) pen.lineTo(x * r, y * r);
    pen.fill();
    pen.fillStyle = "rgb(255 255 255 / 0.55)";
    pen.beginPath();
    for (const [x, y] of [[0, -1], [0.25, -0.25], [-0.8, -0.25]]) pen.lineTo(x * r, y * r);
    pen.fill();
    pen.fillStyle = "rgb(60 30 0 / 0.18)";
    pen.beginPath();
    for (const [x, y] of [[0.8, -0.25], [0, 1], [0.25, -0.25]]) pen.lineTo(x * r, y * r);
    pen.fill();
  }

  #dew({ r }, time) {
    const { pen } = this;
    const size = r * (1 + Math.sin(time * 5) * 0.06);
    pen.fillStyle = "#8fdcff";
    pen.beginPath();
    pen.moveTo(0, -size * 1.5);
    pen.bezierCurveTo(size * 0.6, -size * 0.6, size, 0, size, size * 0.3);
    pen.arc(0, size * 0.3, size, 0, Math.PI);
    pen.bezierCurveTo(-size, 0, -size * 0.6, -size * 0.6, 0, -size * 1.5);
    pen.fill();
    pen.fillStyle = "rgb(255 255 255 / 0.8)";
    pen.beginPath();
    pen.ellipse(-size * 0.35, size * 0.2, size * 0.2, size * 0.36, 0.4, 0, 6.3);
    pen.fill();
  }

  #mole(run) {
    const { pen } = this;
    const hot = run.fever > 0;
    pen.save();
    pen.translate(run.x, run.y);
    if (run.dazed > 0) pen.globalAlpha = 0.65 + Math.sin(run.time * 40) * 0.3;
    pen.rotate(-run.drift / 620);
    const glow = pen.createRadialGradient(0, 20, 6, 0, 20, hot ? 120 : 74);
    glow.addColorStop(0, hot ? "rgb(255 214 94 / 0.55)" : "rgb(255 244 205 / 0.32)");
    glow.addColorStop(1, "rgb(255 244 205 / 0)");
    pen.fillStyle = glow;
    pen.fillRect(-130, -110, 260, 260);
    const part = (color, x, y, rx, ry, turn = 0) => {
      pen.fillStyle = color;
      pen.beginPath();
      pen.ellipse(x, y, rx, ry, turn, 0, 6.3);
      pen.fill();
    };
    const fur = hot ? "#d99a2b" : "#4a4250";
    const dig = Math.sin(run.time * 26) * 5;
    part("#e8a7a0", -17, 8 + dig, 7, 10, 0.6);
    part("#e8a7a0", 17, 8 - dig, 7, 10, -0.6);
    part("#e8a7a0", 0, -24, 3, 7);
    part(fur, 0, 0, 18, 23);
    part(hot ? "#f1bb52" : "#5d5464", 0, 7, 12, 13);
    part("#f2b8b0", 0, 22, 6, 5);
    part("#7d2f3a", 0, 24.5, 3, 2);
    part("#fff", -6.5, 10, 3.6, 3.6);
    part("#fff", 6.5, 10, 3.6, 3.6);
    part("#1d1a22", -6.2 + run.drift / 260, 11, 1.9, 1.9);
    part("#1d1a22", 6.8 + run.drift / 260, 11, 1.9, 1.9);
    pen.restore();
  }

  /** The deeper, the darker, except around the lamp. */
  #dusk(run) {
    const { pen } = this;
    const dark = Math.min(0.62, run.depth / 900);
    const lamp = pen.createRadialGradient(run.x, MOLE_Y + 40, 90, run.x, MOLE_Y + 60, 420);
    lamp.addColorStop(0, "rgb(8 8 20 / 0)");
    lamp.addColorStop(1, `rgb(8 8 20 / ${dark})`);
    pen.fillStyle = lamp;
    pen.fillRect(-10, -10, WIDTH + 20, HEIGHT + 20);
    if (this.flash > 0) {
      pen.fillStyle = `rgb(255 226 140 / ${this.flash * 0.35})`;
      pen.fillRect(-10, -10, WIDTH + 20, HEIGHT + 20);
    }
  }

  #floating() {
    const { pen } = this;
    pen.textAlign = "center";
    for (const { text, x, y, life, kind } of this.words) {
      pen.globalAlpha = Math.min(1, life * 2.5);
      pen.font = `800 ${kind == "fever" ? 30 : kind == "hit" ? 20 : 15}px system-ui, sans-serif`;
      pen.lineWidth = 4;
      pen.strokeStyle = "rgb(20 14 8 / 0.55)";
      pen.fillStyle = { hit: "#ffb3a1", dew: "#bfecff", fever: "#ffe07a" }[kind] ?? "#fff6d6";
      const inside = Math.min(Math.max(x, 30), WIDTH - 30);
      pen.strokeText(text, inside, y);
      pen.fillText(text, inside, y);
    }
    pen.globalAlpha = 1;
  }

  #numbers(run) {
    const { pen } = this;
    const bar = (y, height, part, color) => {
      pen.fillStyle = "rgb(0 0 0 / 0.35)";
      pen.beginPath();
      pen.roundRect(14, y, WIDTH - 28, height, height / 2);
      pen.fill();
      pen.fillStyle = color;
      pen.beginPath();
      pen.roundRect(14, y, Math.max(height, (WIDTH - 28) * part), height, height / 2);
      pen.fill();
    };
    const late = run.clock < 10 && Math.sin(run.time * 9) > 0;
    bar(14, 8, run.clock / 60, late ? "#ff8d78" : "#fff3c9");
    if (run.fever > 0) bar(26, 5, run.fever / 5, "#ffca3a");
    else if (run.heat > 0.02) bar(26, 5, run.heat, "#ff9f5a");
    const write = (text, size, x, y, align, color = "#fff") => {
      pen.textAlign = align;
      pen.font = `800 ${size}px system-ui, sans-serif`;
      pen.lineWidth = 4;
      pen.strokeStyle = "rgb(20 14 8 / 0.5)";
      pen.fillStyle = color;
      pen.strokeText(text, x, y);
      pen.fillText(text, x, y);
    };
    write(run.score.toLocaleString(), 26, 14, 60, "left");
    write(`${run.depth} m`, 15, 14, 80, "left", "#ffeecb");
    write(`${Math.ceil(run.clock)} s`, 18, WIDTH - 14, 56, "right");
    if (run.multiplier > 1) write(`×${run.multiplier}`, 22, WIDTH - 14, 82, "right", "#ffe07a");
  }
}

/** The few sounds of the demo game, made on the spot; none before the player has pressed something. */

const SCALE = [0, 2, 4, 7, 9, 12, 14, 16, 19, 21, 24];

export class Sound {
  #context;

  constructor(on) {
    this.on = on;
  }

  /** Plays what a step of a run brought. */
  play(events) {
    if (!this.on || !events.length) return;
    this.#context ??= new AudioContext();
    for (const { kind, streak, jewel } of events) {
      if (kind == "gem") this.#tone(440 * 2 ** (SCALE[Math.min(streak, SCALE.length) - 1] / 12), jewel ? 0.25 : 0.12);
      if (kind == "dew") [660, 880, 1175].forEach((pitch, i) => this.#tone(pitch, 0.15, i * 0.06, "sine"));
      if (kind == "fever") [523, 659, 784, 1047].forEach((pitch, i) => this.#tone(pitch, 0.22, i * 0.08, "square", 0.03));
      if (kind == "hit") this.#tone(90, 0.3, 0, "sawtooth", 0.09, 40);
      if (kind == "smash") this.#tone(170, 0.14, 0, "square", 0.05, 60);
      if (kind == "over") [523, 440, 349, 262].forEach((pitch, i) => this.#tone(pitch, 0.3, i * 0.15, "triangle"));
    }
  }

  #tone(pitch, seconds, later = 0, type = "triangle", loud = 0.08, end = pitch) {
    const context = this.#context;
    const at = context.currentTime + later;
    const voice = new OscillatorNode(context, { type, frequency: pitch });
    const volume = new GainNode(context, { gain: loud });
    voice.frequency.exponentialRampToValueAtTime(end, at + seconds);
    volume.gain.setValueAtTime(loud, at);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
    voice.connect(volume).connect(context.destination);
    voice.start(at);
    voice.stop(at + seconds);
  }
}

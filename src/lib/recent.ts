/**
 * The entries that were used last, by key. The weights of their keys are at most `max` together, and each at most a
 * tenth of it; without weights, `max` is the number of entries.
 */
export class Recent<Value> {
  // A Map is ordered by insertion: the entry that was used last is the last one.
  readonly #entries = new Map<string, Value>();
  readonly #max: number;
  readonly #weightOf: (key: string) => number;
  #weight = 0;

  constructor(max: number, weightOf: (key: string) => number = () => 1) {
    this.#max = max;
    this.#weightOf = weightOf;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#entries.delete(key)) this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    const weight = this.#weightOf(key);
    if (weight > Math.max(1, this.#max / 10)) return;
    this.#entries.set(key, value);
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#max) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    if (this.#entries.delete(key)) this.#weight -= this.#weightOf(key);
  }
}

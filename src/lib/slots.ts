/** The maximum number of slots that one name may use, such as the calls to a processor. */
export interface SlotLimit {
  name: string;
  most: number;
}

/** Counts what is in flight, in total and by limit. */
export class Slots {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many slots are free. */
  get left(): number {
    return this.#most - this.#all;
  }

  takenBy(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  /** The names that use at least `most` slots. */
  fullNames(most: number): string[] {
    return [...this.#taken].filter(([, taken]) => taken >= most).map(([name]) => name);
  }

  hasRoom(limits: readonly SlotLimit[]): boolean {
    return this.left > 0 && limits.every(({ name, most }) => this.takenBy(name) < most);
  }

  /** Takes a slot of each limit. Returns the function that frees them. */
  take(limits: readonly SlotLimit[]): () => void {
    this.#all += 1;
    for (const { name } of limits) this.#taken.set(name, this.takenBy(name) + 1);
    return () => {
      this.#all -= 1;
      for (const { name } of limits) {
        const left = this.takenBy(name) - 1;
        if (left > 0) this.#taken.set(name, left);
        else this.#taken.delete(name);
      }
    };
  }
}

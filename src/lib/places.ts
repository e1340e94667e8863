/** Something of which only so many may be under way at once, such as the calls to a processor. */
export interface Lane {
  name: string;
  most: number;
}

/** Counts what is under way: in all, and in each lane. */
export class Places {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many more may begin in lanes that have room. */
  get left(): number {
    return this.#most - this.#all;
  }

  takenIn(lane: string): number {
    return this.#taken.get(lane) ?? 0;
  }

  /** What follows `prefix` in the names of the lanes in which so many places are taken. */
  lanesAt(most: number, prefix: string): string[] {
    const names = [...this.#taken].filter(([name, taken]) => name.startsWith(prefix) && taken >= most);
    return names.map(([name]) => name.slice(prefix.length));
  }

  hasRoom(lanes: readonly Lane[]): boolean {
    return this.left > 0 && lanes.every(({ name, most }) => this.takenIn(name) < most);
  }

  /** Takes a place in each of the lanes. Returns the function that gives them back. */
  take(lanes: readonly Lane[]): () => void {
    this.#all += 1;
    for (const { name } of lanes) this.#taken.set(name, this.takenIn(name) + 1);
    return () => {
      this.#all -= 1;
      for (const { name } of lanes) {
        const left = this.takenIn(name) - 1;
        if (left > 0) this.#taken.set(name, left);
        else this.#taken.delete(name);
      }
    };
  }
}

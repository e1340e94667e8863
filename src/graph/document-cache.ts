/**
 * The documents used last, parsed, by their text. Bounded by the length of their texts: a parsed document takes some
 * hundred times the memory of its text, and anybody may send as many different ones as they like.
 */
export class DocumentCache<Entry> {
  readonly #entries = new Map<string, Entry>();
  readonly #charactersMax: number;
  #characters = 0;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  get(text: string): Entry | undefined {
    const entry = this.#entries.get(text);
    if (entry === undefined) return undefined;
    // The order of a Map is that of insertion: the entry becomes the last one.
    this.#entries.delete(text);
    this.#entries.set(text, entry);
    return entry;
  }

  set(text: string, entry: Entry): void {
    if (text.length > this.#charactersMax / 10) return;
    if (!this.#entries.delete(text)) this.#characters += text.length;
    this.#entries.set(text, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= this.#charactersMax) return;
      this.#entries.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}

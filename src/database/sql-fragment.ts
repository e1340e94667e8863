/**
 * A statement, or a part of one: constant texts with a value or another fragment between each two. Has the properties
 * of `Prisma.Sql`, so that Prisma takes it. The text of a statement depends only on its constant texts, so it is written
 * once for each shape and not at every call: statements of a charge have up to 5 kB.
 */
export class Fragment {
  readonly #texts: readonly string[];
  readonly #slots: readonly unknown[];
  #flat: Flat | undefined;

  constructor(texts: readonly string[], slots: readonly unknown[]) {
    this.#texts = texts;
    this.#slots = slots;
  }

  /** The values of the statement, in the order of their placeholders. */
  get values(): unknown[] {
    return this.#flatten().values;
  }

  /** The statement with the placeholders `$1`, `$2` and so on. The same text is the same string. */
  get text(): string {
    return this.#flatten().shape.text;
  }

  get strings(): string[] {
    return this.#flatten().shape.strings;
  }

  get sql(): string {
    return this.strings.join('?');
  }

  get statement(): string {
    return this.text;
  }

  inspect(): { sql: string; statement: string; text: string; values: unknown[] } {
    return { sql: this.sql, statement: this.statement, text: this.text, values: this.values };
  }

  #flatten(): Flat {
    return (this.#flat ??= flat(this));
  }

  /** Visits the constant texts and the values in the order of the statement. */
  static walk(
    fragment: Fragment,
    onTexts: (texts: readonly string[]) => void,
    onValue: (value: unknown) => void,
  ): void {
    onTexts(fragment.#texts);
    for (const slot of fragment.#slots) {
      if (slot instanceof Fragment) Fragment.walk(slot, onTexts, onValue);
      else onValue(slot);
    }
  }

  /** Appends the texts of a fragment to `strings`, whose last entry is the text since the last value. */
  static write(fragment: Fragment, strings: string[]): void {
    fragment.#texts.forEach((text, at) => {
      strings[strings.length - 1] += text;
      if (at === fragment.#slots.length) return;
      const slot = fragment.#slots[at];
      if (slot instanceof Fragment) Fragment.write(slot, strings);
      else strings.push('');
    });
  }
}

interface Flat {
  shape: Shape;
  values: unknown[];
}

interface Shape {
  text: string;
  strings: string[];
}

/** A node for each beginning of a statement that was seen: constant texts, by identity, or a value. */
interface Node {
  next: Map<readonly string[] | typeof aValue, Node>;
  shape: Shape | null;
}

const aValue = Symbol('a value');
const root: Node = { next: new Map(), shape: null };
/** Filters of lists combine into many shapes. Past this number of nodes a new shape is written at every call. */
const nodesMax = 50_000;
let nodes = 0;

function flat(fragment: Fragment): Flat {
  const values: unknown[] = [];
  let node: Node | undefined = root;
  Fragment.walk(
    fragment,
    (texts) => (node = node && nextOf(node, texts)),
    (value) => {
      values.push(value);
      node = node && nextOf(node, aValue);
    },
  );
  const known: Node | undefined = node;
  const shape = known?.shape ?? shapeOf(fragment);
  if (known) known.shape = shape;
  return { shape, values };
}

function nextOf(node: Node, key: readonly string[] | typeof aValue): Node | undefined {
  const known = node.next.get(key);
  if (known || nodes >= nodesMax) return known;
  nodes += 1;
  const added: Node = { next: new Map(), shape: null };
  node.next.set(key, added);
  return added;
}

function shapeOf(fragment: Fragment): Shape {
  const strings = [''];
  Fragment.write(fragment, strings);
  return { strings, text: strings.reduce((text, after, at) => `${text}$${at}${after}`) };
}

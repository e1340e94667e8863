/** How deeply a JSON text nests, and what its objects and lists hold together. */
export interface JsonShape {
  depth: number;
  /** Fields of objects. A name that an object repeats counts each time. */
  names: number;
  /** Fields of objects and elements of lists. An empty object or list counts as if it held one. */
  entries: number;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;

/** `[` and `{` have this code if their bit of 0x20 is ignored, `]` and `}` the other. */
const opening = 0x5b;
const closing = 0x5d;

/**
 * Reads the shape of a JSON text without building its values, which takes much longer, and ends where the entries
 * exceed their bound. Of a text that is not JSON the shape means nothing.
 */
export function shapeOf(bytes: Uint8Array, entriesMax: number): JsonShape {
  let [level, depth, names, entries, inText] = [0, 0, 0, 0, false];
  for (let index = 0; index < bytes.length && entries <= entriesMax; index += 1) {
    const byte = bytes[index] ?? 0;
    if (inText) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === colon) names += 1;
    else if (byte === comma) entries += 1;
    else if ((byte & ~0x20) === opening) {
      entries += 1;
      depth = Math.max(depth, ++level);
    } else if ((byte & ~0x20) === closing) level -= 1;
  }
  return { depth, names, entries };
}

/** The fields of all objects of a parsed text. They are fewer than its names if an object repeats one. */
export function fieldsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries: unknown[] = Object.values(value);
  return entries.reduce<number>((count, entry) => count + fieldsIn(entry), Array.isArray(value) ? 0 : entries.length);
}

/** The first name that an object of a JSON text repeats. */
export function repeatedName(text: string): string {
  const open: Set<string>[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '{') open.push(new Set());
    else if (character === '}') open.pop();
    if (character !== '"') continue;
    const start = index++;
    while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
    if (!/^\s*:/.test(text.slice(index + 1, index + 100))) continue;
    const name = String(JSON.parse(text.slice(start, index + 1)));
    if (open.at(-1)?.has(name)) return name;
    open.at(-1)?.add(name);
  }
  return '';
}

/**
 * The largest pattern that is accepted. Matching the longest email address with it takes a few milliseconds at most.
 */
export const patternSizeMax = 500;

/** Tables of a Unicode class are large: compiling one takes as long as this number of other instructions. */
const unicodeClassSize = 20;

interface Group {
  size: number;
  /** The size of the last part, to which a repetition applies. */
  last: number;
  /** Instructions that mark its start and end. */
  own: number;
}

/**
 * The approximate number of instructions that a pattern in RE2 syntax compiles to: rarely less, sometimes twice as
 * many. It is computed from the text, since compiling may take long: `(a{500}){2}` has few characters and a thousand
 * instructions. Texts that are not valid patterns have some size too.
 */
export function patternSize(pattern: string): number {
  const groups: [Group, ...Group[]] = [{ size: 0, last: 0, own: 0 }];
  const add = (size: number): void => {
    groups[0].size += size;
    groups[0].last = size;
  };
  const tokens =
    /\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]|\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]?))?|\)|\{(\d+)(,?)(\d*)\}|[*+?]\??|./gsu;
  for (const token of pattern.matchAll(tokens)) {
    const [text, least, comma, most] = token;
    if (least !== undefined) groups[0].size += repeatedSize(groups[0], Number(least), comma === ',', most ?? '');
    else if (text === ')') {
      const [{ size, own }, outer, ...rest] = groups;
      if (outer) groups.splice(0, groups.length, outer, ...rest);
      add(size + own);
    } else if (/^\(\?[a-zA-Z-]*\)$/.test(text)) continue;
    else if (text.startsWith('(')) groups.unshift({ size: 0, last: 0, own: /^\(\?[a-zA-Z-]*:/.test(text) ? 0 : 2 });
    else if (/^[*+?]/.test(text)) {
      groups[0].size += 1;
      groups[0].last += 1;
    } else if (text === '|') add(2);
    else add(1 + unicodeClassSize * (text.match(/\\[pP]/g)?.length ?? 0));
  }
  // A group that is not closed makes the text invalid, and is counted all the same. Two instructions mark start and
  // end.
  return groups.reduce((total, { size, own }) => total + size + own, 2);
}

/**
 * What a repetition adds to the size of its part, which is counted once already: each optional copy has an instruction
 * to skip it.
 */
function repeatedSize(group: Group, least: number, open: boolean, most: string): number {
  const before = group.last;
  const copies = open && most !== '' ? Math.max(least, Number(most)) : least;
  const skips = open ? Math.max(1, copies - least) : 0;
  group.last = before * Math.max(1, copies) + skips;
  return group.last - before;
}

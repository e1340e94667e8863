/** Above this many characters only what V8 says is used: looking for the place parses beginnings of the text. */
const searchedMax = 8 * 1024;

/**
 * Where a text stops being JSON, and why: "line 2, column 7: expected double-quoted property name". Nothing of the text
 * is repeated, since it may hold a card number.
 */
export function jsonFaultIn(text: string): string {
  const said = faultOf(text);
  if (said === undefined || /^Unexpected end|^Unterminated/.test(said)) return 'it ends too early';
  const position = positionIn(said) ?? searched(text);
  if (position === undefined) return 'a character is unexpected';
  if (position >= text.length) return 'it ends too early';
  const lines = text.slice(0, position).split('\n');
  // Of V8's sentence only the part before the place; the form without a place repeats the text.
  const [, reason = 'unexpected character'] = /^([A-Z][^"\n]*?) in JSON at position /.exec(said) ?? [];
  return (
    `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}: ` +
    `${reason[0]?.toLowerCase()}${reason.slice(1)}`
  );
}

function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function positionIn(said: string): number | undefined {
  const [, position] = /at position (\d+)/.exec(said) ?? [];
  return position === undefined ? undefined : Number(position);
}

/** The length of the longest beginning that could be continued to JSON. */
function searched(text: string): number | undefined {
  if (text.length > searchedMax) return undefined;
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (canContinue(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function canContinue(beginning: string): boolean {
  const said = faultOf(beginning);
  return said === undefined || /^Unexpected end|^Unterminated/.test(said) || positionIn(said) === beginning.length;
}

import { scrub } from '../../src/runtime/scrub.ts';

const nameLengthMax = 100;
const headerLengthMax = 2000;

/** A body may have a hundred thousand unknown fields. Sorting these takes no time, and the header holds fewer. */
const namesMax = 1000;

/** The value of the `Ignored-Fields` header: the unknown top-level fields of a body. Undefined if there are none. */
export function ignoredFieldsHeader(
  body: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): string | undefined {
  const ignored = Object.keys(body).filter((name) => !known.has(name));
  if (ignored.length === 0) return undefined;
  let header = '';
  for (const given of ignored.slice(0, namesMax).sort()) {
    const name = asHeaderText(given);
    // Node and proxies reject large headers. The first names are enough to find the mistake.
    if (header.length + name.length > headerLengthMax) return `${header}, ...`;
    header += header === '' ? name : `, ${name}`;
  }
  return ignored.length > namesMax ? `${header}, ...` : header;
}

/** The name of a field may contain characters that a header must not contain. */
function asHeaderText(name: string): string {
  // Proxies log headers, and a name may contain a card number by mistake.
  const safe = scrub(name);
  const shown = safe.length > nameLengthMax ? `${safe.slice(0, nameLengthMax)}...` : safe;
  return /^[\x21-\x2b\x2d-\x7e]+$/.test(shown) ? shown : encodeURIComponent(shown.toWellFormed());
}

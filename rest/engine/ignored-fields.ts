import { scrub } from '../../src/kit/log.ts';

const nameLengthMax = 100;
const headerLengthMax = 2000;

/** The top-level fields of a body that mean nothing here, for the header `Ignored-Fields`; undefined when there are none. */
export function ignoredFieldsHeader(
  body: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): string | undefined {
  const ignored = Object.keys(body).filter((name) => !known.has(name));
  if (ignored.length === 0) return undefined;
  const names = ignored.sort().map(asHeaderText);
  let header = names[0] ?? '';
  for (const name of names.slice(1)) {
    // Node and proxies refuse headers of some kilobytes; a client with that many is helped by the first ones.
    if (header.length + name.length > headerLengthMax) return `${header}, ...`;
    header += `, ${name}`;
  }
  return header;
}

/** A field may have any name, a header may not hold any character. */
function asHeaderText(name: string): string {
  // Headers end up in the logs of proxies, and a card number may have slipped into a name.
  const safe = scrub(name);
  const shown = safe.length > nameLengthMax ? `${safe.slice(0, nameLengthMax)}...` : safe;
  return /^[\x21-\x2b\x2d-\x7e]+$/.test(shown) ? shown : encodeURIComponent(shown.toWellFormed());
}

import { invalid } from '../../src/lib/errors.ts';

/** Former names of fields, by those of today. They are taken where an endpoint has a field of today's name only. */
const formerNames: ReadonlyMap<string, string> = new Map([['platformAccountId', 'accountId']]);

function formerNamesFor(known: ReadonlySet<string>): (readonly [name: string, former: string])[] {
  return [...formerNames].filter(([name, former]) => known.has(name) && !known.has(former));
}

/** The names of fields, with their former ones. */
export function withFormerNames(known: ReadonlySet<string>): string[] {
  return [...known, ...formerNamesFor(known).map(([, former]) => former)];
}

/** Gives the fields that were sent under former names those of today. In place, since `textWithFractions` is by object. */
export function renameFormer(sent: Record<string, unknown>, known: ReadonlySet<string>): void {
  for (const [name, former] of formerNamesFor(known)) {
    if (!Object.hasOwn(sent, former)) continue;
    if (Object.hasOwn(sent, name) && sent[name] !== sent[former])
      throw invalid(name, `and its former name ${former} have different values: send ${name} only`);
    sent[name] = sent[former];
    delete sent[former];
  }
}

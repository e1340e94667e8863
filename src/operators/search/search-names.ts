import { identifier, sql } from '../../database/sql.ts';
import { findKinds } from './search-kinds.ts';
import { ofKind, ofPartners, type Query, type Scope } from './search-queries.ts';

/** The kinds of which there are so few that a part of the name is looked for in every row. */
const fewOfThem = ['account', 'store', 'processor', 'partner'] as const;
const shortestName = 2;

export function byName(text: string, scope: Scope): Query[] {
  if (text.length < shortestName) return [];
  const wanted = sql`(SELECT lowered(${text}))`;
  const likely = sql`lowered(h.label) = ${wanted} DESC, starts_with(lowered(h.label), ${wanted}) DESC,`;
  const parts = fewOfThem.map((kind) =>
    ofKind(kind, sql`strpos(lowered(${findKinds[kind].label}), ${wanted}) > 0`, scope, likely),
  );
  return [...parts, ...customersByName(text, scope)];
}

/** Customers are many. A whole name, as it is mostly written, is found by an index; a part of it is not. */
function customersByName(text: string, scope: Scope): Query[] {
  const words = text.split(/\s+/);
  const is = (column: string, name: string) => sql`t.${identifier(column)} = ANY(${spellings(name)}::text[])`;
  const last = is('lastName', words.at(-1) ?? '');
  if (words.length > 1)
    return [ofPartners('customer', sql`${is('firstName', words.slice(0, -1).join(' '))} AND ${last}`, scope)];
  return [ofPartners('customer', last, scope), ofPartners('customer', is('firstName', text), scope)];
}

function spellings(name: string): string[] {
  const lowered = name.toLowerCase();
  return [...new Set([name, lowered, lowered.replace(/\p{L}/u, (letter) => letter.toUpperCase())])];
}

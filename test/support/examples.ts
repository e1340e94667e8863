import { hash } from 'node:crypto';
import type { Domain } from '../../src/domain.ts';
import { domains } from '../../src/registry.ts';

const all: readonly Domain[] = domains;
const prefixes = all
  .flatMap(({ idPrefixes = {} }) => Object.values(idPrefixes))
  .map((prefix) => prefix.slice(0, -1))
  .join('|');
// Those of the identity provider have two characters more.
const identifier = new RegExp(`\\b(${prefixes}|user|org)_[0-9A-Za-z]{22,24}\\b`, 'g');
const base62 = (text: string, length: number): string =>
  hash('sha256', text, 'base64')
    .replace(/[^0-9A-Za-z]/g, '')
    .slice(0, length);

/**
 * Replaces values that differ between runs by stable ones: the first customer always has the same identifier, and
 * secrets and random values end in an ellipsis, so that none of them is real.
 */
export function stableWriter(origin: string): (value: unknown) => unknown {
  const addresses: [string, string][] = [
    [origin, 'https://pay.example.com'],
    [encodeURIComponent(origin), encodeURIComponent('https://pay.example.com')],
    ['93.184.216.34', 'shop.example.com'],
  ];
  const written = new Map<string, string>();
  const counts = new Map<string, number>();
  const nameOf = (kind: string, id: string): string => {
    const known = written.get(id);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const name = `${kind}_0${base62(kind, 7)}${base62(`${kind} ${count}`, 14)}`;
    written.set(id, name);
    return name;
  };
  const text = (value: string): string =>
    addresses
      .reduce((changed, [from, to]) => changed.replaceAll(from, to), value)
      .replace(
        /\b(cs)(_[0-9A-Za-z]{22})_secret_[\w-]{43}/g,
        (_all, kind: string, id: string) => `${nameOf(kind, kind + id)}_secret_…`,
      )
      .replace(identifier, (id, kind: string) => nameOf(kind, id))
      .replace(
        /\b(tp_sk_(?:partner_)?(?:test|live)_)([0-9A-Za-z]{8})([0-9A-Za-z]{38})?/g,
        (_all, kind: string, _shown: string, rest?: string) =>
          `${kind}${base62(kind, 8)}${rest === undefined ? '' : '…'}`,
      )
      .replace(/\btp_([a-z]+)_[0-9A-Za-z]{20}\b/g, (id, kind: string) => nameOf(`tp_${kind}`, id))
      .replace(/\bsha384-[\w+/=]+/g, 'sha384-…')
      .replace(/\bv1\.[0-9a-f]{16}\.js/g, 'v1.0123456789abcdef.js')
      .replace(/\bwhsec_[0-9A-Za-z+/=]+/g, 'whsec_…')
      .replace(/\b(state|session|code_challenge)=[\w.~%-]+/g, '$1=…');
  const write = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string' && name === 'fingerprint') return base62(name, 22);
    // A cursor contains the identifier it continues from.
    if (typeof value === 'string' && name === 'nextCursor')
      return Buffer.from(text(Buffer.from(value, 'base64url').toString())).toString('base64url');
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map((item) => write(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, write(entry, key)]));
  };
  return (value) => write(value);
}

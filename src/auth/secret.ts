import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, type Mode, modes, randomBase62 } from '../lib/ids.ts';

export type KeyKind = 'partner' | 'sub';

const kindPrefixes = {
  partner: { live: 'tp_sk_partner_live_', test: 'tp_sk_partner_test_' },
  sub: { live: 'tp_sk_live_', test: 'tp_sk_test_' },
} as const satisfies Record<KeyKind, Record<Mode, string>>;

/** The start of every key. */
export const secretStart = 'tp_sk_';

const prefixes = (['partner', 'sub'] as const).flatMap((kind) => modes.map((mode) => kindPrefixes[kind][mode]));

/** The tag of a cell in its keys, between the prefix and the rest, in which `_` does not occur. */
const cellTag = /^([0-9a-z]{1,2})_/;

const publicLength = 8;
const secretLength = 32;
const checksumLength = 6;
const tailPattern = new RegExp(`^[0-9A-Za-z]{${publicLength + secretLength + checksumLength}}$`);

/**
 * Creates a key: the prefix of its kind and mode, the tag of the cell and `_` if the cell has one, 8 characters that
 * are not secret, 32 that are (190 bits), and a checksum of 6. `secret` is returned to the client once, when the key is
 * created; only `secretHash` is stored.
 */
export function newSecret(
  kind: KeyKind,
  mode: Mode,
  cell = '',
): { secret: string; prefix: string; secretHash: string } {
  const prefix = kindPrefixes[kind][mode] + (cell === '' ? '' : `${cell}_`) + randomBase62(publicLength);
  const body = prefix + randomBase62(secretLength);
  const secret = body + checksumOf(body);
  return { secret, prefix, secretHash: hashSecret(secret) };
}

/** Whether a string has the form and the checksum of a key, so that a mistyped key needs no query. */
export function isWellFormedSecret(text: string): boolean {
  const rest = afterPrefix(text);
  if (rest === undefined || !tailPattern.test(rest.replace(cellTag, ''))) return false;
  return text.slice(-checksumLength) === checksumOf(text.slice(0, -checksumLength));
}

/** The tag of the cell that issued a well-formed key; '' if that cell has none. */
export function cellOfSecret(secret: string): string {
  return cellTag.exec(afterPrefix(secret) ?? '')?.[1] ?? '';
}

/** The mode of a key, which its prefix names. */
export function modeOfSecret(secret: string): Mode | undefined {
  return modes.find((mode) => Object.values(kindPrefixes).some((of) => secret.startsWith(of[mode])));
}

/** The stored hash of a key. A plain hash is sufficient, since a secret of 190 bits cannot be found by brute force. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

function afterPrefix(text: string): string | undefined {
  const prefix = prefixes.find((known) => text.startsWith(known));
  return prefix === undefined ? undefined : text.slice(prefix.length);
}

function checksumOf(text: string): string {
  return base62(crc32(text), checksumLength);
}

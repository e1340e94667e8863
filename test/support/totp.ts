import { createHmac } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const periodMs = 30_000;

/** The bytes of a setup key, as an authenticator app reads them. */
export function keyBytes(setupKey: string): Buffer {
  const bits = [...setupKey].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/**
 * A code of an authenticator app (RFC 6238): the present one, or that of the next half minute, which is taken too. A
 * later `next` is never an earlier `present`.
 */
export function totpOf(setupKey: string, at: 'present' | 'next' = 'present'): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / periodMs) + (at === 'next' ? 1 : 0)));
  const hash = createHmac('sha1', keyBytes(setupKey)).update(counter).digest();
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7f_ff_ff_ff;
  return String(number % 1_000_000).padStart(6, '0');
}

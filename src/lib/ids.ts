import { randomFillSync } from 'node:crypto';

/** The prefix of an identifier. Each one belongs to the manifest of one domain. */
export type IdPrefix = `${string}_`;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const timeLength = 8;
const randomLength = 14;

/**
 * A new identifier: prefix, 8 characters of the millisecond (so that ids sort roughly by time), 14 random ones (83
 * bits).
 */
export function newId(prefix: IdPrefix, now: Date): string {
  return prefix + base62(now.getTime(), timeLength) + randomBase62(randomLength);
}

interface OwnedRow {
  partnerId: string;
  platformAccountId: string;
  mode: string;
}

/** The columns that every row below an account has, of a new one. `owner` is the account's own, or any row below it. */
export function newRow(
  prefix: IdPrefix,
  { partnerId, platformAccountId, mode }: OwnedRow,
  now: Date,
): OwnedRow & { id: string; createdAt: Date; updatedAt: Date } {
  return { id: newId(prefix, now), partnerId, platformAccountId, mode, createdAt: now, updatedAt: now };
}

const positionLength = 6;

/**
 * A new identifier of the same form that sorts by `position` within its millisecond: after the time, 6 digits for the
 * position and 8 random characters (47 bits).
 */
export function newOrderedId(prefix: IdPrefix, now: Date, position: number): string {
  const digits = String(position).padStart(positionLength, '0').slice(-positionLength);
  return prefix + base62(now.getTime(), timeLength) + digits + randomBase62(randomLength - positionLength);
}

/** Sorts before every identifier created at or after that moment, and after those created before it. */
export function idsFrom(prefix: IdPrefix, moment: Date): string {
  return prefix + base62(moment.getTime(), timeLength);
}

/** The moment in an identifier; null if it is not one of the platform's. */
export function momentOf(id: string): Date | null {
  const digits = /^[a-z]+_([0-9A-Za-z]{8})[0-9A-Za-z]{14}$/.exec(id)?.[1];
  return digits === undefined
    ? null
    : new Date([...digits].reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0));
}

/** `length` characters from [0-9A-Za-z], each equally likely, from the system's random source. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    // 248 is the largest multiple of 62 in a byte: dropping larger bytes keeps every character equally likely.
    if (byte < 248) text += alphabet[byte % 62];
  }
  return text;
}

const pool = Buffer.alloc(4096);
let unused = 0;

/**
 * Random bytes are read in advance, since one call to the system costs the same for one byte and for thousands. A byte
 * is erased when it is used.
 */
function randomByte(): number {
  if (unused === 0) unused = randomFillSync(pool).length;
  unused -= 1;
  const byte = pool[unused] ?? 0;
  pool[unused] = 0;
  return byte;
}

/** A whole number in base 62, left-padded with zeros to `length`. */
export function base62(value: number, length: number): string {
  let text = '';
  let rest = value;
  while (text.length < length) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/**
 * Test and live data are separate: a key, an account and everything below it belong to one mode and never change it
 * (docs/contract/02-tenancy-modes-ids.md).
 */
export const modes = ['test', 'live'] as const;
export type Mode = (typeof modes)[number];

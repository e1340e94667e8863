import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { setWaits, waitsOf } from '../../../src/database/waits.ts';

const pool = new pg.Pool(); // it never connects
afterAll(() => pool.end());

test('a call waits 5 s for a locked row, 2 s for the first call with its key, and 5 s for a place at the provider', () => {
  expect(waitsOf(pool)).toEqual({ lockMs: 5_000, runningCallMs: 2_000, providerPlaceMs: 5_000 });
});

test('a shorter wait is that of one pool, and leaves the others', () => {
  setWaits(pool, { lockMs: 100 });
  expect(waitsOf(pool)).toEqual({ lockMs: 100, runningCallMs: 2_000, providerPlaceMs: 5_000 });
});

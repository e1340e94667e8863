import pg from 'pg';
import { expect, test } from 'vitest';
import { parserOf } from '../../../src/database/database.ts';

const { TIMESTAMPTZ } = pg.types.builtins;
const parse = parserOf(TIMESTAMPTZ) as (text: string) => unknown; // the parser of text takes text
const ofDriver: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ, 'text');

test.each([
  '2026-01-31 12:34:56+00',
  '2026-12-01 00:00:00.1+00',
  '2024-02-29 23:59:59.12+00',
  '1999-12-31 23:59:59.999+00',
  '2026-01-31 12:34:56.123456+00',
  '2026-01-31 12:34:56+02',
  '2026-01-31 12:34:56.1+05:30',
  '0100-01-01 00:00:00+00',
  '0099-12-31 23:59:59+00',
  '9999-12-31 23:59:59.999+00',
  '10000-01-01 00:00:00+00',
  '10000-01-01 00:00:00.1+00',
  '0001-01-01 00:00:00+00 BC',
  'infinity',
  '-infinity',
])('the time %s is read as the driver reads it', (text) => {
  expect(parse(text)).toEqual(ofDriver(text));
});

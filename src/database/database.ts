import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import type { Log } from '../observability/log.ts';
import { unusableDatabase } from './errors.ts';
import { openPool, sessionSettings } from './pool.ts';
import { statementName } from './sql.ts';

const { INT8, TIMESTAMPTZ } = pg.types.builtins;
const TEXT_ARRAY: number = 1009; // the driver does not name it

/**
 * Parses the values in results of statements. Bigint is a number: amounts and counts are far below 2^53, and a larger
 * value throws instead of being rounded. Prisma passes its own parsers with every query and keeps its BigInt.
 */
export function parserOf(oid: number, format: 'text' | 'binary' = 'text'): (value: never) => unknown {
  if (format === 'text' && oid === INT8) return parseBigint;
  if (format === 'text' && oid === TIMESTAMPTZ) return parseTimestamp;
  if (format === 'text' && oid === TEXT_ARRAY) return parseTexts;
  return pg.types.getTypeParser(oid, format); // The declaration has one overload for each format.
}

function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new Error(`The database answered ${text}, which is too large to be a number exactly.`);
  return value;
}

/** The driver's parser. It is called for formats that no column holds, such as times before the year 100. */
const parseAnyTimestamp: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ, 'text');
const zero = 48;

/** Parses the format of stored times, such as `2026-01-31 12:00:00.123+00`, by the positions of its digits. */
function parseTimestamp(text: string): Date {
  const { length } = text;
  const isUsual = length >= 22 && length <= 26 && length !== 23 && text[4] === '-' && text.endsWith('+00');
  if (!isUsual || text.startsWith('00')) return parseAnyTimestamp(text);
  let ms = 0;
  if (length > 22) ms = digit(text, 20) * 100;
  if (length > 24) ms += digit(text, 21) * 10;
  if (length > 25) ms += digit(text, 22);
  const year = two(text, 0) * 100 + two(text, 2);
  return new Date(Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), ms));
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - zero;
}

function two(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

const parseAnyTexts: (text: string) => (string | null)[] = pg.types.getTypeParser(TEXT_ARRAY, 'text');

/** Most arrays of texts are empty, such as the tags of a customer. */
function parseTexts(text: string): (string | null)[] {
  return text === '{}' ? [] : parseAnyTexts(text);
}

export interface Database {
  pool: pg.Pool;
  prisma: PrismaClient;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  log: Log;
  applicationName?: string;
  /** Whether the URL is that of a pooler in transaction mode. */
  isPooled?: boolean;
}

/**
 * Admission control keeps the number of waiting statements small. If one waits for as long as a statement may run, the
 * database itself does not respond.
 */
export const connectionWaitMaxMs = 15_000;

/** One pool for everything: SQL statements use it directly, Prisma through its adapter. */
export async function openDatabase({
  url,
  poolSize,
  log,
  applicationName = 'platform',
  isPooled = false,
}: DatabaseOptions): Promise<Database> {
  const pool = openPool(
    {
      connectionString: url,
      max: poolSize,
      application_name: applicationName,
      connectionTimeoutMillis: connectionWaitMaxMs,
      idleTimeoutMillis: 60_000,
      ...sessionSettings(isPooled),
      keepAlive: true,
      types: { getTypeParser: parserOf },
    },
    { idleBroke: (error) => log.warn({ err: error }, 'An idle database connection broke.') },
  );
  const adapter = new PrismaPg(pool, {
    // An empty name is an unnamed statement.
    statementNameGenerator: ({ sql }) => statementName(sql) ?? '',
    onConnectionError: (error) => log.warn({ err: error }, 'A database connection broke inside a transaction.'),
  });
  const prisma = new PrismaClient({ adapter, errorFormat: 'minimal' });
  const close = async () => {
    await prisma.$disconnect();
    await pool.end();
  };
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await close();
    throw unusableDatabase('DATABASE_URL', url, error);
  }
  return { pool, prisma, close };
}

/** Whether no connection became free in time. The statement was not sent. */
export function isOverload(error: unknown): boolean {
  // The error of pg-pool has no code.
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

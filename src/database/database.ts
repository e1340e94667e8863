import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import type { Log } from '../runtime/log.ts';
import { parserOf } from './parsers.ts';
import { openPool } from './pool.ts';
import { sessionSettings } from './session-settings.ts';
import { statementName } from './statements.ts';
import { unusableDatabase } from './unusable.ts';

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
  /** Whether the URL leads to a pooler in transaction mode. */
  isPooled?: boolean;
}

/**
 * Admission control keeps the number of waiting statements small. One that waits as long as a statement may run means
 * that the database itself does not respond.
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

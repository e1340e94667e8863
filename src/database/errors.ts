import pg from 'pg';
import { ConfigError } from '../settings/config.ts';
import { openClient } from './client.ts';

/**
 * The classes of errors after which either the result of the statement is unknown, or another statement would fail as
 * well.
 */
const outages = ['08', '53', '57', '58', 'XX'];
const timedOut = '57014';

/** Whether the error is one of the statement itself: it was rolled back, and other statements can run. */
export function isOfStatement(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false;
  return error.code === timedOut || !outages.includes(error.code.slice(0, 2));
}

/** A lock was not free in time. The statement was rolled back and may be retried. */
export function isLockTimeout(error: unknown): boolean {
  return databaseCodeOf(error) === '55P03';
}

/** Errors of Prisma contain the code of the database in different places, depending on who built the statement. */
export function databaseCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code, meta }: Error & DatabaseCodes = error;
  return meta?.driverAdapterError?.cause?.originalCode ?? meta?.code ?? code ?? '';
}

interface DatabaseCodes {
  code?: string;
  meta?: { code?: string; driverAdapterError?: { cause?: { originalCode?: string } } };
}

/** The database rolled back one of two conflicting transactions. It had no effect, so it can run again. */
export function isConflictOfTransactions(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/** What prevents a connection, by the code of PostgreSQL or of the operating system. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; start it',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host cannot be resolved',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'it closed the connection',
  ENOENT: 'there is no such socket',
  '28P01': 'the name or the password of the role is wrong',
  '28000': 'it does not admit this role from here',
  '3D000': 'it has no such database; create it',
  '42501': 'the role may not use it',
  '53300': 'it has no connection left',
  '57P03': 'it is starting or stopping; try again',
};

/** The error for an operator whose server or command cannot connect to a database. It does not contain the password. */
export function unusableDatabase(setting: string, url: string, error: unknown): ConfigError {
  const { hostname, port, pathname } = new URL(url);
  const place = `${hostname || 'this machine'}${port === '' ? '' : `:${port}`}${pathname}`;
  return new ConfigError(
    `The database of ${setting}, ${place}, cannot be used: ${reasonOf(error)}. Correct ${setting} or the database.`,
    { cause: error },
  );
}

/** A connection for a start or a command, which must close it. Throws `unusableDatabase`. */
export async function connectTo(setting: string, url: string): Promise<pg.Client> {
  try {
    return await openClient(url, 'platform-start', { connectionTimeoutMillis: 10_000 });
  } catch (error) {
    throw unusableDatabase(setting, url, error);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = 'code' in error && typeof error.code === 'string' ? reasons[error.code] : undefined;
  if (known !== undefined) return known;
  if (/timeout|timed out/i.test(error.message)) return 'it does not answer';
  if (/password must be a string/.test(error.message)) return 'it asks for a password, and the URL has none';
  return error.message.replace(/\.$/, '');
}

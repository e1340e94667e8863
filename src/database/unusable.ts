import pg from 'pg';
import { ConfigError } from '../runtime/config.ts';

/** By the code of PostgreSQL or of the operating system: what keeps a connection from being made. */
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

/** The error for an operator whose database a server or command cannot connect to. It repeats no password. */
export function unusableDatabase(setting: string, url: string, error: unknown): ConfigError {
  const { hostname, port, pathname } = new URL(url);
  const place = `${hostname || 'this machine'}${port === '' ? '' : `:${port}`}${pathname}`;
  return new ConfigError(
    `The database of ${setting}, ${place}, cannot be used: ${reasonOf(error)}. Correct ${setting} or the database.`,
    { cause: error },
  );
}

/** A connection for a start or a command, which closes it. Throws `unusableDatabase`. */
export async function connectTo(setting: string, url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'platform-start',
  });
  client.on('error', () => {}); // the statement that uses a broken connection fails with the error
  try {
    await client.connect();
    return client;
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

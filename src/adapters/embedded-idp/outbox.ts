import pg from 'pg';
import { execute, type Queryable, queryRow, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Log } from '../../observability/log.ts';
import { type SignedMessage, signMessage } from './webhook.ts';

export interface OutboxOptions {
  pool: pg.Pool;
  databaseUrl: string;
  signingSecret: string;
  log: Log;
  /** Receives one message. If it throws, the message is sent again. */
  deliver(message: SignedMessage): Promise<void>;
}

export interface Outbox {
  /** Resolves when everything that was committed before this call has been delivered or has failed once. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const pollMs = 1_000;
const backoffMaxS = 60;

/**
 * Delivers the messages that the triggers stored. A message is deleted in the transaction that delivered it: after a
 * crash it is sent again under the same id. The database notifies this process of new messages; the timer covers
 * retries and lost notifications.
 */
export function startOutbox(options: OutboxOptions): Outbox {
  const { log } = options;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let stopped = false;

  function run(): Promise<void> {
    running = drain(options, () => stopped).finally(() => (running = null));
    return running;
  }

  function flush(): Promise<void> {
    if (stopped) return Promise.resolve();
    if (!running) return run();
    // The run in progress may already have read the table. One more run serves every caller that waits for it.
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return run();
      });
    return next;
  }

  const wake = () =>
    void flush().catch((error: unknown) =>
      log.warn({ err: error }, 'Messages of the identity provider could not be read. They will be read again.'),
    );
  const timer = setInterval(wake, pollMs);
  const listener = listen(options, wake);
  wake();
  return {
    flush,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await listener.stop();
      await next?.catch(() => {});
      await running?.catch(() => {});
    },
  };
}

async function drain(options: OutboxOptions, stopped: () => boolean): Promise<void> {
  while (!stopped() && (await deliverNext(options)));
}

/** Delivers one message; false if none is due. */
function deliverNext({ pool, signingSecret, deliver, log }: OutboxOptions): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const message = await lockNext(client);
    if (!message) return false;
    const { id, type, at, data, attempts } = message;
    try {
      await deliver(signMessage(signingSecret, id, { type, at, data }));
      await execute(client, sql`DELETE FROM outbox WHERE id = ${id}`);
    } catch (error) {
      log.warn(
        { err: error, messageId: id, attempts },
        'A message of the identity provider was not accepted. It will be sent again.',
      );
      await postpone(client, id, Math.min(backoffMaxS, 2 ** attempts / 2));
    }
    return true;
  });
}

interface Message {
  id: string;
  type: string;
  at: Date;
  data: object;
  attempts: number;
}

function lockNext(client: Queryable): Promise<Message | undefined> {
  return queryRow<Message>(
    client,
    sql`
      SELECT id, type, at, data, attempts
      FROM outbox
      -- None waits longer than a minute, unless the clock of the database was ahead.
      WHERE "dueAt" <= clock_timestamp() OR "dueAt" > clock_timestamp() + interval '2 minutes'
      ORDER BY sequence
      LIMIT 1
      FOR UPDATE SKIP LOCKED`,
  );
}

async function postpone(client: Queryable, id: string, seconds: number): Promise<void> {
  await execute(
    client,
    sql`
      UPDATE outbox
      SET attempts = attempts + 1, "dueAt" = clock_timestamp() + make_interval(secs => ${seconds})
      WHERE id = ${id}`,
  );
}

/** Receives the notifications of the triggers on a separate connection, which is replaced when it breaks. */
function listen({ databaseUrl }: OutboxOptions, notified: () => void): { stop(): Promise<void> } {
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ connectionString: databaseUrl, application_name: 'idp-outbox', keepAlive: true });
    let broken = false;
    const again = () => {
      if (broken || stopped) return;
      broken = true;
      fresh.end().catch(() => {});
      retry = setTimeout(() => {
        connecting = connect();
      }, pollMs);
    };
    fresh.on('error', again);
    fresh.on('end', again);
    fresh.on('notification', notified);
    client = fresh;
    await fresh
      .connect()
      .then(() => fresh.query('LISTEN idp_outbox'))
      .catch(again);
  }

  let connecting = connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}

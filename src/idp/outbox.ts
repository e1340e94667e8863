import pg from 'pg';
import type { Log } from '../kit/log.ts';
import { type SignedMessage, signMessage } from './webhook.ts';

export interface OutboxOptions {
  pool: pg.Pool;
  databaseUrl: string;
  signingSecret: string;
  log: Log;
  /** Where the messages go; when it throws, the message comes again. */
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
 * Sends what the triggers wrote down. A message is removed in the transaction that saw it delivered: after a crash it comes
 * again, under the same id. The database says when there is something; the timer is for what is due again, or went unheard.
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
    // The pass under way may have looked already; one more is enough for everybody who asks meanwhile.
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
      log.warn({ err: error }, 'Messages of the identity provider could not be read and will be read again.'),
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

/** Delivers one message; false when none is due. */
async function deliverNext({ pool, signingSecret, deliver, log }: OutboxOptions): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ id: string; type: string; at: Date; data: object; attempts: number }>(
      'SELECT id, type, at, data, attempts FROM outbox WHERE "dueAt" <= clock_timestamp() ORDER BY sequence LIMIT 1 FOR UPDATE SKIP LOCKED',
    );
    const message = rows[0];
    if (message) {
      const { id, type, at, data, attempts } = message;
      try {
        await deliver(signMessage(signingSecret, id, { type, at, data }));
        await client.query('DELETE FROM outbox WHERE id = $1', [id]);
      } catch (error) {
        log.warn(
          { err: error, messageId: id, attempts },
          'A message of the identity provider was not taken and will come again.',
        );
        await client.query(
          `UPDATE outbox SET attempts = attempts + 1, "dueAt" = clock_timestamp() + make_interval(secs => $2) WHERE id = $1`,
          [id, Math.min(backoffMaxS, 2 ** attempts / 2)],
        );
      }
    }
    await client.query('COMMIT');
    client.release();
    return message !== undefined;
  } catch (error) {
    // What state the connection is in nobody knows; it is closed, and the transaction with it.
    client.release(true);
    throw error;
  }
}

/** Hears the triggers' notices on a connection of its own, and takes another when it breaks. */
function listen({ databaseUrl }: OutboxOptions, heard: () => void): { stop(): Promise<void> } {
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
      retry = setTimeout(() => (connecting = connect()), pollMs);
    };
    fresh.on('error', again);
    fresh.on('end', again);
    fresh.on('notification', heard);
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

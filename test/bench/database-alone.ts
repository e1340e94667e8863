import { createHash } from 'node:crypto';
import pg from 'pg';
import { createTestProcessor } from '../../src/adapters/test-processor/test-processor.ts';
import { createVault } from '../../src/adapters/vault/vault.ts';
import { parseKeyRing } from '../../src/keys/key-ring.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { charge, type FloorParts } from './floor/charge.ts';
import { modify } from './floor/modify.ts';
import { readUsers } from './floor/people.ts';
import type { FloorKey } from './floor/server.ts';
import {
  authenticateSql,
  customersAfterSql,
  customersPageSql,
  paymentsPageSql,
  storesOfAccountSql,
} from './floor/statements.ts';
import { measureLoad, serveLoads } from './measure-load.ts';

// The upper line of the bench: the statements of the floor, prepared, in a loop without HTTP, and a processor that
// approves at once. No server that sends these statements is faster.
const { DATABASE_URL: url = '', VAULT_KEYS = '', FINGERPRINT_KEY = '', IDP_SECRET = '' } = process.env;
const connectionsMax = 32;

serveLoads(async (load) => {
  const pool = new pg.Pool({ connectionString: url, max: Math.min(load.connections, connectionsMax) });
  try {
    const parts: FloorParts = {
      pool,
      vault: createVault({
        pool,
        keys: parseKeyRing(VAULT_KEYS),
        fingerprintKey: Buffer.from(FINGERPRINT_KEY, 'base64'),
        clock: systemClock,
      }),
      processor: {
        ...createTestProcessor({ database: url, clock: systemClock }),
        authorize: async ({ reference }) => ({ result: 'approved', processorReference: `ch_${reference}` }),
      },
    };
    return await measureLoad(load, async () => ({ exchange: (text) => run(parts, text), end: () => {} }));
  } finally {
    await pool.end();
  }
});

/** What the floor asks the database for this HTTP request. */
async function run(parts: FloorParts, text: string): Promise<void> {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  if (head.includes('/users/list ')) {
    // a request of workloads.ts
    await readUsers(parts.pool, IDP_SECRET, /Cookie: (\S+)/.exec(head)?.[1] ?? '', JSON.parse(body) as object);
    return;
  }
  const secret = /Authorization: Bearer (\S+)/.exec(head)?.[1] ?? '';
  const hash = createHash('sha256').update(secret).digest('base64url');
  const { pool } = parts;
  const found = await pool.query<FloorKey>({
    name: 'authenticate',
    text: authenticateSql,
    values: [hash, new Date()],
  });
  const key = found.rows[0];
  if (!key?.allowed) throw new Error('The key may not call now.');
  const owner = key.platformAccountId;
  const idempotencyKey = `alone-${/Idempotency-Key: (\S+)/.exec(head)?.[1] ?? ''}`;
  const [, modification] = /\/payments\/(capture|refund) /.exec(head) ?? [];
  // bodies of workloads.ts
  if (head.includes('/payments/process ')) await charge(parts, key, idempotencyKey, JSON.parse(body));
  else if (modification === 'capture' || modification === 'refund')
    await modify(parts, modification, key, idempotencyKey, JSON.parse(body));
  else if (head.includes('/payments '))
    await pool.query({ name: 'payments', text: paymentsPageSql, values: [owner, owner, 0, 21] });
  else if (head.includes('/customers/list ')) await list(pool, owner, body);
  else await pool.query({ name: 'stores', text: storesOfAccountSql, values: [owner] });
}

async function list(pool: pg.Pool, owner: string, body: string): Promise<void> {
  const { page = 1, cursor } = JSON.parse(body) as { page?: number; cursor?: string }; // as above
  if (cursor === undefined) {
    await pool.query({ name: 'page', text: customersPageSql, values: [owner, owner, (page - 1) * 20, 21] });
    return;
  }
  const after = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string, number, string];
  await pool.query({ name: 'after', text: customersAfterSql, values: [owner, new Date(after[2]), after[3], 21] });
}

import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response } from 'express';
import pg from 'pg';
import { createTestProcessor } from '../../../src/adapters/test-processor/test-processor.ts';
import { createVault } from '../../../src/adapters/vault/vault.ts';
import { parseKeyRing } from '../../../src/keys/key-ring.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { charge, type FloorParts } from './charge.ts';
import { modify } from './modify.ts';
import { readUsers } from './people.ts';
import {
  authenticateSql,
  customersAfterSql,
  customersPageSql,
  paymentsPageSql,
  storesOfAccountSql,
} from './statements.ts';

/**
 * The baseline of the measurement: the same endpoints, hand-written with Express and `pg`, without the graph,
 * stored documents, scopes, input validation, log, metrics and tests. The SQL is the same, and so are the key check
 * with its bucket, the rate limit headers, the vault and the processor.
 */
export interface FloorKey {
  id: string;
  mode: string;
  prefix: string;
  partnerId: string;
  platformAccountId: string;
  plan: string;
  tokens: number;
  allowed: boolean;
  partnerStatus: string;
}

const {
  DATABASE_URL: url = '',
  PORT = '',
  VAULT_KEYS = '',
  FINGERPRINT_KEY = '',
  IDP_SECRET = '',
  DATABASE_POOL_SIZE = '',
} = process.env;
const pool = new pg.Pool({ connectionString: url, max: Number(DATABASE_POOL_SIZE) });
const vault = createVault({
  pool,
  keys: parseKeyRing(VAULT_KEYS),
  fingerprintKey: Buffer.from(FINGERPRINT_KEY, 'base64'),
  clock: systemClock,
});
const parts: FloorParts = { pool, vault, processor: createTestProcessor({ database: url, clock: systemClock }) };

async function keyOf(request: Request, response: Response): Promise<FloorKey> {
  const secret = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const hash = createHash('sha256').update(secret).digest('base64url');
  const { rows } = await pool.query<FloorKey>({
    name: 'authenticate',
    text: authenticateSql,
    values: [hash, new Date()],
  });
  const key = rows[0];
  if (!key?.allowed || key.partnerStatus !== 'active')
    throw new Error(key ? 'The key may not call now.' : 'Key not found.');
  response.set({
    'RateLimit-Policy': `"${key.plan}";q=500;w=60`,
    RateLimit: `"${key.plan}";r=${Math.floor(key.tokens)};t=${Math.ceil(((750 - key.tokens) * 60) / 500)}`,
  });
  return key;
}

const authTest: RequestHandler = async (request, response) => {
  const { mode, id, prefix, partnerId, platformAccountId } = await keyOf(request, response);
  const { rows } = await pool.query<{ id: string }>({
    name: 'stores',
    text: storesOfAccountSql,
    values: [platformAccountId],
  });
  response.json({
    ok: true,
    mode,
    keyKind: 'sub',
    keyId: id,
    keyPrefix: prefix,
    partnerId,
    platformAccountId,
    storeIds: rows.map((row) => row.id),
  });
};

interface CustomerRow {
  id: string | null;
  mode: string;
  createdAt: Date;
  /** PostgreSQL's bigint as a string. */
  listTotal: string;
  [column: string]: unknown;
}

const listCustomers: RequestHandler = async (request, response) => {
  const { platformAccountId } = await keyOf(request, response);
  // the floor validates nothing
  const { page = 1, pageSize = 20, cursor } = request.body as { page?: number; pageSize?: number; cursor?: string };
  const after =
    cursor === undefined
      ? null
      : (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string, number, string]); // as above
  const { rows } = await pool.query<CustomerRow>(
    after
      ? {
          name: 'after',
          text: customersAfterSql,
          values: [platformAccountId, new Date(after[2]), after[3], pageSize + 1],
        }
      : {
          name: 'page',
          text: customersPageSql,
          values: [platformAccountId, platformAccountId, (page - 1) * pageSize, pageSize + 1],
        },
  );
  const found = rows.filter((row) => row.id !== null);
  const items = found.slice(0, pageSize);
  const last = items.at(-1);
  const nextCursor =
    found.length > pageSize && last
      ? Buffer.from(JSON.stringify(['customers', '', last.createdAt.getTime(), last.id])).toString('base64url')
      : null;
  const total = Number(rows[0]?.listTotal ?? 0);
  const paging = after
    ? { total: null, page: null, pageSize, totalPages: null }
    : { total, page, pageSize, totalPages: Math.ceil(total / pageSize) };
  response.json({ items: items.map(shown), ...paging, nextCursor });
};

function shown(row: CustomerRow): object {
  const {
    id,
    storeId,
    storeName,
    platformAccountId,
    email,
    firstName,
    lastName,
    phone,
    tags,
    billingAddress,
    shippingAddress,
    metadata,
    lastOrderId,
    paymentInstrumentCardLast4,
    createdAt,
    updatedAt,
  } = row;
  return {
    id,
    storeId,
    storeName,
    platformAccountId,
    email,
    firstName,
    lastName,
    phone,
    tags,
    billingAddress,
    shippingAddress,
    metadata,
    lastOrderId,
    paymentInstrumentCardLast4,
    livemode: row.mode === 'live',
    createdAt,
    updatedAt,
  };
}

interface PaymentRow {
  id: string | null;
  mode: string;
  listTotal: string;
  [column: string]: unknown;
}

const listPayments: RequestHandler = async (request, response) => {
  const { platformAccountId } = await keyOf(request, response);
  const { page = 1, pageSize = 20 } = request.body as { page?: number; pageSize?: number }; // as above
  const { rows } = await pool.query<PaymentRow>({
    name: 'payments',
    text: paymentsPageSql,
    values: [platformAccountId, platformAccountId, (page - 1) * pageSize, pageSize + 1],
  });
  const items = rows.filter((row) => row.id !== null).slice(0, pageSize);
  const total = Number(rows[0]?.listTotal ?? 0);
  response.json({
    items: items.map((row) => ({ ...row, livemode: row.mode === 'live' })),
    total,
    page,
    pageSize,
    totalPages: Math.ceil(total / pageSize),
  });
};

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());
app.get('/api/public/v1/auth/test', authTest);
app.post('/api/public/v1/customers/list', listCustomers);
app.post('/api/public/v1/payments', listPayments);
app.post('/api/v1/iam/users/list', async (request, response) => {
  response.json(await readUsers(pool, IDP_SECRET, request.get('Cookie') ?? '', request.body));
});
app.post('/api/public/v1/payments/process', async (request, response) => {
  const key = await keyOf(request, response);
  response.json(await charge(parts, key, request.get('Idempotency-Key') ?? '', request.body));
});
for (const type of ['capture', 'refund'] as const)
  app.post(`/api/public/v1/payments/${type}`, async (request, response) => {
    const key = await keyOf(request, response);
    response.json(await modify(parts, type, key, request.get('Idempotency-Key') ?? '', request.body));
  });
app.get('/health/ready', (_request, response) => void response.json({ status: 'ok' }));
app.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));

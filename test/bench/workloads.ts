import type pg from 'pg';
import { encodeCursor } from '../../src/lists/cursor.ts';
import { addChargedPayments } from './charged-payments.ts';
import type { DataServer } from './data-server.ts';
import { signInReader } from './people.ts';
import type { BigTenant } from './tenants.ts';

export interface Workload {
  name: string;
  /** The lowest acceptable ratio to the floor; null for what is measured only. */
  aim: number | null;
  requests: string[];
  /** How many requests a second are sent at most; without it as many as are answered. */
  perSecond?: number;
  /** Adds what the requests of a run are about. */
  prepare?(run: number, seconds: number): Promise<unknown>;
}

const root = '/api/public/v1';
const instruments = 50;

/** The measured requests. Lists of keys are of the one account with 200,000 customers, 20 per page. */
export async function workloadsOf(
  data: DataServer,
  tenant: BigTenant,
  rows: number,
  port: number,
): Promise<Workload[]> {
  const { pool } = data;
  const list = (body: object) => [post('/customers/list', tenant.subKey, body)];
  const paymentInstruments = await makeInstruments(tenant, port);
  // A full page of payments, also if charges are not measured.
  for (const paymentInstrumentId of paymentInstruments)
    await ask(port, '/payments/process', tenant.subKey, { paymentInstrumentId, amount: 2500, currency: 'USD' });
  return [
    { name: 'customers, page 1', aim: 1.5, requests: list({}) },
    { name: 'customers, page 90', aim: 1.2, requests: list({ page: 90 }) },
    {
      name: 'customers, cursor at row 1,800',
      aim: 1.5,
      requests: list({ cursor: await cursorAt(pool, tenant, port, 1_800) }),
    },
    {
      name: 'customers, cursor at three quarters',
      aim: 1.5,
      requests: list({ cursor: await cursorAt(pool, tenant, port, Math.min(150_000, rows * 0.75)) }),
    },
    {
      name: 'charge, with Idempotency-Key',
      aim: 1.5,
      requests: paymentInstruments.map((paymentInstrumentId) =>
        post(
          '/payments/process',
          tenant.subKey,
          { paymentInstrumentId, amount: 2500, currency: 'USD' },
          'Idempotency-Key: bench-{n}\r\n',
        ),
      ),
    },
    ...modificationsOf(pool, tenant),
    { name: 'payments, page 1', aim: 1.5, requests: [post('/payments', tenant.subKey, {})] },
    {
      name: 'users, 100 of 20,000',
      aim: null,
      requests: [request('/api/v1/iam/users/list', `Cookie: ${await signInReader(data, port)}`, {})],
    },
    { name: 'auth/test', aim: 1.3, requests: [get('/auth/test', tenant.subKey)] },
    {
      name: 'auth/test, 16 accounts in turn',
      aim: 1.3,
      requests: tenant.neighborKeys.map((key) => get('/auth/test', key)),
    },
  ];
}

/** Each capture and refund is of its own payment, and the contended refunds are all of one. */
function modificationsOf(pool: pg.Pool, tenant: BigTenant): Workload[] {
  const requests = (operation: string, paymentId: string) => [
    post(`/payments/${operation}`, tenant.subKey, { paymentId, amount: 100 }, 'Idempotency-Key: bench-{n}\r\n'),
  ];
  const ofEach = 'pay_bench{n}';
  return [
    {
      name: 'capture',
      aim: null,
      requests: requests('capture', ofEach),
      prepare: (run, seconds) => addChargedPayments(pool, tenant, { run, count: seconds * perSecondMax, isHeld: true }),
    },
    {
      name: 'refund',
      aim: null,
      requests: requests('refund', ofEach),
      prepare: (run, seconds) =>
        addChargedPayments(pool, tenant, { run, count: seconds * perSecondMax, isHeld: false }),
    },
    {
      name: 'refunds of one payment',
      aim: null,
      requests: requests('refund', 'pay_bench{run}x0'),
      prepare: (run) => addChargedPayments(pool, tenant, { run, count: 1, isHeld: false }),
    },
  ];
}

const perSecondMax = 2_000;

/** Cards to charge, each of a different customer: charges of one customer contend less than charges of one card. */
async function makeInstruments(tenant: BigTenant, port: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < instruments; at++) {
    const { paymentInstrument } = (await ask(port, '/payment-instruments/create-from-token', tenant.subKey, {
      token: 'tok_visa',
      customerData: { email: `bench${at}@example.com` },
    })) as { paymentInstrument: { id: string } }; // as the API answers
    ids.push(paymentInstrument.id);
  }
  return ids;
}

/** The cursor of a client after this many rows. Its filters are copied from a real cursor. */
async function cursorAt(pool: pg.Pool, tenant: BigTenant, port: number, row: number): Promise<string> {
  const first = (await ask(port, '/customers/list', tenant.subKey, {})) as { nextCursor: string }; // as the API answers
  // see encodeCursor
  const [list, filters] = JSON.parse(Buffer.from(first.nextCursor, 'base64url').toString()) as [string, string];
  const { rows } = await pool.query<{ id: string; createdAt: Date }>(
    'SELECT id, "createdAt" FROM customers WHERE "platformAccountId" = $1 ORDER BY "createdAt" DESC, id DESC ' +
      'OFFSET $2 LIMIT 1',
    [tenant.accountId, row],
  );
  const position = rows[0];
  if (!position) throw new Error(`There is no row ${row}.`);
  return encodeCursor(list, filters, position);
}

async function ask(port: number, path: string, key: string, body: object): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${root}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

function get(path: string, key: string): string {
  return `GET ${root}${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

function post(path: string, key: string, body: object, headers = ''): string {
  return request(`${root}${path}`, `${headers}Authorization: Bearer ${key}`, body);
}

function request(path: string, headers: string, body: object): string {
  const text = JSON.stringify(body);
  return (
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
}

// guards: rest/openapi.json rest/openapi-iam.json
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

/*
 * Two public generators make clients of rest/openapi.json. A program for each charges, lists, refunds and is refused; it
 * is type-checked strictly and run against the platform.
 */

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'platform-clients-'));
const run = promisify(execFile);
let platform: TestPlatform;
let account: SeededAccount;
let checked: string;

const programs = {
  'openapi-fetch': `
import createClient from 'openapi-fetch';
import type { components, paths, webhooks } from './openapi.ts';

type Message = webhooks['payment/succeeded']['post']['requestBody']['content']['application/json'];
export const amountOf = (message: Message): number => message.data.object.amount;
export function paymentOf(event: components['schemas']['Event']): string | null {
  return event.type === 'payment/refunded' ? event.data.object.id : null;
}
// @ts-expect-error an account has no amount
export const wrong = (message: components['schemas']['AccountCreatedEvent']): number => message.data.object.amount;

export async function pay(url: string, key: string, paymentInstrumentId: string) {
  const api = createClient<paths>({ baseUrl: url, headers: { Authorization: \`Bearer \${key}\` } });
  // its generic parameters let a misspelled field pass
  const misspelled = await api.POST('/payments/process', { body: { paymentInstrumentId, amount: 1, currency: 'USD', Mode: 'auth' } });
  const charged = await api.POST('/payments/process', { body: { paymentInstrumentId, amount: 2500, currency: 'USD' } });
  const paymentId = charged.data?.payment.id ?? '';
  const listed = await api.POST('/payments', { body: { filters: { status: ['succeeded'] } } });
  const refunded = await api.POST('/payments/refund', { body: { paymentId, amount: 1000 } });
  const code: components['schemas']['ApiError']['code'] | undefined = misspelled.error?.code;
  return {
    status: charged.data?.payment.status,
    found: listed.data?.items.some(({ id }) => id === paymentId),
    refund: refunded.data && 'refund' in refunded.data ? refunded.data.refund.amount : undefined,
    code: code === 'INPUT_PARSE_ERROR' ? code : undefined,
  };
}
`,
  'hey-api': `
import { listPayments, processPayment, refundPayment } from './hey/index.ts';
import { createClient } from './hey/client/index.ts';
import type { ApiError, Event, PaymentSucceededEvent } from './hey/index.ts';

export const amountOf = (message: PaymentSucceededEvent): number => message.data.object.amount;
export const typeOf = ({ type }: Event): 'payment/refunded' | null => (type === 'payment/refunded' ? type : null);

export async function pay(url: string, key: string, paymentInstrumentId: string) {
  const client = createClient({ baseUrl: url, auth: key });
  // @ts-expect-error a misspelled field
  const misspelled = await processPayment({ client, body: { paymentInstrumentId, amount: 1, currency: 'USD', Mode: 'auth' } });
  const charged = await processPayment({ client, body: { paymentInstrumentId, amount: 2500, currency: 'USD' } });
  const paymentId = charged.data?.payment.id ?? '';
  const listed = await listPayments({ client, body: { filters: { status: ['succeeded'] } } });
  const refunded = await refundPayment({ client, body: { paymentId, amount: 1000 } });
  const code: ApiError['code'] | undefined = misspelled.error?.code;
  return {
    status: charged.data?.payment.status,
    found: listed.data?.items.some(({ id }) => id === paymentId),
    refund: refunded.data && 'refund' in refunded.data ? refunded.data.refund.amount : undefined,
    code: code === 'INPUT_PARSE_ERROR' ? code : undefined,
  };
}
`,
};

beforeAll(async () => {
  const made = run(process.execPath, ['test/support/generate-clients.ts', join(root, 'rest/openapi.json'), folder], {
    cwd: root,
  });
  platform = await startTestPlatform();
  account = await (await seedPartner(platform)).account('Generated');
  await made;
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, `${name}.ts`), text);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2024',
        module: 'esnext',
        moduleResolution: 'bundler',
        strict: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        types: ['node'],
      },
      include: ['*.ts'],
    }),
  );
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  checked = await run(process.execPath, [compiler, '-p', folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}, 300_000);
afterAll(async () => {
  await platform?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the clients of both generators, and programs that use them, pass the strict checks of TypeScript', () => {
  expect(checked).toBe('');
});

test.each([
  'openapi-fetch',
  'hey-api',
])('with the client of %s: a charge, a list, a refund and a typed error', async (name) => {
  const { pay } = await import(join(folder, `${name}.ts`));
  const { id } = await account.instrument();
  expect(await pay(`${platform.url}/api/public/v1`, account.subKey, id)).toEqual({
    status: 'succeeded',
    found: true,
    refund: 1000,
    code: 'INPUT_PARSE_ERROR',
  });
});

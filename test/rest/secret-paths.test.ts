import { isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { clientOf } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { seedPartner } from '../support/seed.ts';

const carriesSecret = /secret|password|cardNumber|cvc|pan\b|hash$|sealed|wrapped|privateKey|authorization/i;
/** Realistic numbers and security codes that occur nowhere else. */
const cards = [
  { cardNumber: '4929420573595709', cvc: '917' },
  { cardNumber: '5425 2334 3010 9903', cvc: '683' },
  { cardNumber: '4000000000000002', cvc: '549' },
];

const secrets: string[] = [];
/** Every answer except those that create a key. */
const answers: string[] = [];

const platform = await usePlatform();
await disableRateLimits(platform);
const partner = await seedPartner(platform);
const account = await partner.account();
secrets.push(partner.partnerKey, account.subKey);
await wholeFlow();

async function wholeFlow(): Promise<void> {
  const { api, storeId } = account;
  const call = async (path: string, body?: unknown, options?: Parameters<typeof api.call>[2], client = api) => {
    const answer = await client.call(path, body, options);
    answers.push(`${JSON.stringify(answer.body)} ${JSON.stringify([...answer.headers])}`);
    return answer.body;
  };
  for (const mint of ['one', 'two']) {
    const created = await partner.api.ok(
      `/accounts/${account.id}/api-keys`,
      { label: mint },
      { headers: { 'Idempotency-Key': mint } },
    );
    secrets.push(created.secret);
    await call(
      `/accounts/${account.id}/api-keys`,
      { label: mint },
      { headers: { 'Idempotency-Key': mint } },
      partner.api,
    );
    await call('/auth/test', undefined, {}, clientOf(platform, created.secret));
    await call(`/api-keys/${created.id}/revoke`, {}, {}, partner.api);
    await call('/auth/test', undefined, {}, clientOf(platform, created.secret));
  }
  const hook = { url: 'https://93.184.216.34/hook', eventTypes: ['customer/created'] };
  const endpoint = await api.ok('/webhooks', hook, { headers: { 'Idempotency-Key': 'hook' } });
  const rotated = await api.ok(`/webhooks/${endpoint.id}/rotate-secret`, {});
  secrets.push(endpoint.secret, rotated.secret);
  await call('/webhooks', hook, { headers: { 'Idempotency-Key': 'hook' } });
  for (const path of ['list', `${endpoint.id}/test`, `${endpoint.id}/deliveries/list`])
    await call(`/webhooks/${path}`, {});
  await call(`/webhooks/${endpoint.id}`);
  await call(`/accounts/${account.id}/api-keys/list`, {}, {}, partner.api);
  for (const [index, card] of cards.entries()) {
    const headers = { 'Idempotency-Key': `card-${index}` };
    const body = { storeId, ...card, expMonth: 11, expYear: 2041, cardholderName: 'Ada Lovelace' };
    const { token } = await call('/payment-instruments/tokenize', body, { headers });
    await call('/payment-instruments/tokenize', body, { headers });
    const { paymentInstrument } = await call('/payment-instruments/create-from-token', {
      storeId,
      token,
      customerData: { email: `card${index}@example.com` },
    });
    const charge = { storeId, paymentInstrumentId: paymentInstrument.id, amount: 100 + index, currency: 'USD' };
    const { payment } = await call('/payments/process', charge, { headers });
    await call('/payments/process', charge, { headers });
    for (const path of [`/payments/${payment.id}`, `/payment-instruments/${paymentInstrument.id}`]) await call(path);
    await wrongPlaces(call, card);
  }
  for (const path of ['/payments', '/customers/list', '/payment-instruments/list', '/stores/list'])
    await call(path, {});
  answers.push(
    JSON.stringify(
      await api.graphql(
        '{ payments { items { id transactions { id processorReference } customer { id email } } } ' +
          'paymentInstruments { items { id card { last4 bin fingerprint } } } }',
      ),
    ),
  );
}

/** Card numbers, security codes and keys in fields where they do not belong. */
async function wrongPlaces(
  call: (path: string, body?: unknown, options?: { headers?: Record<string, string> }) => Promise<unknown>,
  { cardNumber, cvc }: { cardNumber: string; cvc: string },
): Promise<void> {
  const key = account.subKey;
  await call('/payment-instruments/tokenize', {
    cardNumber: `${cardNumber}0`,
    expMonth: 13,
    expYear: 1999,
    cvc: `${cvc}77`,
  });
  await call('/payment-instruments/tokenize', {
    cardNumber: { cardNumber },
    cvc: [cvc],
    expMonth: cardNumber,
    expYear: cvc,
    cardholderName: cardNumber,
  });
  await call('/payment-instruments/create-from-token', { token: cardNumber, customerData: { email: cardNumber } });
  await call('/payments/process', {
    paymentInstrumentId: cardNumber,
    amount: 1,
    currency: cardNumber,
    processorId: key,
  });
  await call(`/payments/${encodeURIComponent(cardNumber)}`);
  await call(`/customers/${key}`);
  await call('/customers/list', { filters: { email: { condition: cardNumber, value: key } } });
  await call('/customers/list', { [cardNumber.replaceAll(' ', '')]: 1 });
  await call('/customers/list', { cursor: key });
  await call('/auth/test', undefined, { headers: { Authorization: `Bearer ${key}x` } });
  await call('/auth/test', undefined, { headers: { Authorization: `Basic ${key}` } });
  answers.push(
    JSON.stringify(
      await account.api.graphql(
        `mutation { tokenizeCard(input: { cardNumber: "${cardNumber}9", cvc: "${cvc}", expMonth: 1, expYear: ` +
          '2041 }) { token } }',
      ),
    ),
  );
  await call('/customers/list', { filters: { [cardNumber]: 1, [key]: 2 }, [key]: 3 });
  for (const literal of [`"${cardNumber}"`, cardNumber.replaceAll(' ', ''), `"${key}"`])
    answers.push(
      JSON.stringify(
        await account.api.graphql(
          `mutation { tokenizeCard(input: { expMonth: ${literal}, cardNumber: 1, cvc: ${literal}, expYear: 1, ` +
            `x: ${literal} }) { token } }`,
        ),
      ),
    );
  answers.push(JSON.stringify(await account.api.graphql(`{ payment(paymentId: "${key}") { id } `)));
  answers.push(JSON.stringify(await account.api.graphql(`{ payment(paymentId: "${key}") { id } }`)));
}

/** Every base table as text, except the columns that may contain them, encrypted or hashed. */
async function tableTexts(): Promise<Map<string, string>> {
  const { rows } = await platform.services.pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name
      FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
      ORDER BY 1`,
  );
  const texts = new Map<string, string>();
  for (const { name } of rows) {
    const { rows: lines } = await platform.services.pool.query<{ text: string }>(
      `SELECT t::text AS text FROM ${name} t`,
    );
    texts.set(name, lines.map(({ text }) => text).join('\n'));
  }
  return texts;
}

/**
 * The strings that must not occur: the part of each key after its public prefix, and each card number, with and without
 * spaces.
 */
function needles(): string[] {
  const tails = secrets.map((secret) => secret.slice(secret.lastIndexOf('_') + 1 + 8));
  const numbers = cards.flatMap(({ cardNumber }) => [
    cardNumber,
    cardNumber.replaceAll(' ', ''),
    Buffer.from(cardNumber.replaceAll(' ', '')).toString('hex'),
    Buffer.from(cardNumber.replaceAll(' ', '')).toString('base64'),
  ]);
  return [...tails, ...numbers];
}

function assertFree(where: string, text: string, allowed: (needle: string) => boolean = () => false): void {
  for (const needle of needles())
    if (!allowed(needle))
      expect(
        text.includes(needle),
        `${where} holds ${needle}: ${text.slice(Math.max(0, text.indexOf(needle) - 200), text.indexOf(needle) + 60)}`,
      ).toBe(false);
}

describe('secrets', () => {
  test('the paths of the graph that contain one are the tracked ones', async () => {
    const lines = Object.values(schema.getTypeMap()).flatMap((type) => {
      if (type.name.startsWith('__') || !(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)))
        return [];
      return Object.values(type.getFields())
        .filter((field) => carriesSecret.test(field.name))
        .map(
          (field) =>
            `${isInputObjectType(type) ? 'taken ' : 'shown '} ${type.name}.${field.name}: ` +
            String(field.type).replace(/[[\]!]/g, ''),
        );
    });
    await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('secret-paths.txt');
  });

  test('the properties of the OpenAPI document that contain one are the same', async () => {
    const found: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, entry] of Object.entries(value)) {
        if (path.endsWith('.properties') && carriesSecret.test(name)) found.push(`${path}.${name}`);
        look(entry, `${path}.${name}`);
      }
    };
    look(await (await fetch(`${platform.url}/api/public/v1/openapi.json`)).json(), '');
    await expect(`${[...new Set(found)].sort().join('\n')}\n`).toMatchFileSnapshot('secret-paths-openapi.txt');
  });

  test('the flow charged, and the vault contains its cards', async () => {
    expect(answers.filter((text) => text.includes('"status":"succeeded"')).length).toBeGreaterThan(3);
    expect(
      (await platform.services.vaultDatabase.pool.query('SELECT count(*)::int AS n FROM vault.cards')).rows[0].n,
    ).toBeGreaterThanOrEqual(cards.length);
  });

  test('none is in any log line', () => {
    expect(platform.logged.length).toBeGreaterThan(50);
    for (const line of platform.logged) {
      assertFree('a log line', line);
      for (const { cvc } of cards) expect(line).not.toMatch(new RegExp(`cvc\\W+${cvc}`));
    }
  });

  test('none is in any table, the vault and the processor included', async () => {
    const texts = await tableTexts();
    expect([...texts.keys()]).toEqual(
      expect.arrayContaining([
        'vault.cards',
        'public.events',
        'public.audit_rows',
        'public.idempotency_records',
        'test_processor.charges',
      ]),
    );
    for (const [table, text] of texts) assertFree(table, text);
  });

  test('no security code is in any event, audit row, stored answer, token or instrument', async () => {
    const texts = await tableTexts();
    for (const table of [
      'public.events',
      'public.audit_rows',
      'public.idempotency_records',
      'public.tokens',
      'public.payment_instruments',
    ])
      expect(texts.get(table), table).not.toMatch(/\bcvc\b|"(917|683|549)"/);
  });

  test('none is in any answer but the one that created the key', () => {
    for (const answer of answers) assertFree('an answer', answer);
  });

  test('the cvc is erased from the vault after the first authorization', async () => {
    const { pool, vaultDatabase } = platform.services;
    const charged = await pool.query<{ id: string }>(
      'SELECT i."cardId" AS id FROM payment_instruments i JOIN payments p ON p."paymentInstrumentId" = i.id',
    );
    const ids = [...new Set(charged.rows.map(({ id }) => id))];
    const { rows } = await vaultDatabase.pool.query<{ kept: number; erased: number }>(
      `SELECT count("sealedCvc")::int AS kept, count(*)::int AS erased FROM vault.cards WHERE id = ANY ($1)`,
      [ids],
    );
    expect(rows).toEqual([{ kept: 0, erased: ids.length }]);
  });
});

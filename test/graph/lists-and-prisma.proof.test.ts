import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const names = ['Ada', 'ada', 'Grace', '100%', 'a_b', 'O\\N', 'Zoe', null];
const days = ['2030-01-01', '2030-01-02', '2030-01-03'];
const moments = [
  '2030-01-01T00:00:00.000Z',
  '2030-01-01T23:59:59.999Z',
  '2030-01-02T00:00:00.000Z',
  '2030-01-02T12:00:00.000Z',
  '2030-01-03T00:00:00.000Z',
];
const runs = 100;

/** Each list is one hand-written statement; the test compares it with the equivalent Prisma query. */
const platform = await usePlatform();
await disableRateLimits(platform);
const partner = await seedPartner(platform);
const accounts: SeededAccount[] = [await partner.account(), await partner.account()];
const others = [
  await (await seedPartner(platform)).account(),
  await (await seedPartner(platform, 'live', partner.id)).account(),
];
for (const account of [...accounts, ...others]) await fill(account);

/**
 * Inserts rows as the domain writes them, many of them equal, directly into the tables so that their times can be
 * chosen.
 */
async function fill(account: SeededAccount): Promise<void> {
  const { prisma } = platform.services;
  const store = await prisma.store.findUniqueOrThrow({ where: { id: account.storeId } });
  const tenant = {
    partnerId: store.partnerId,
    platformAccountId: store.platformAccountId,
    mode: store.mode,
    storeId: store.id,
  };
  const { id: paymentInstrumentId, customerId } = await account.instrument(
    store.mode === 'test' ? 'tok_visa' : '4111111111111111',
  );
  const at = (index: number): Date => new Date(moments[index % moments.length] ?? '');
  const customers = Array.from({ length: 40 }, (_, index) => {
    const host = index % 3 === 0 ? 'Example.com' : 'example.org';
    const email = `${['Ada', 'bob', 'a_b', 'x%y'][index % 4]}${index}@${host}`;
    return {
      id: newId('cus_', at(index)),
      ...tenant,
      email,
      emailLower: email.toLowerCase(),
      firstName: names[index % names.length] ?? null,
      lastName: names[(index * 3) % names.length] ?? null,
      tags: index % 2 ? ['k:1'] : ['k:2', 'z:1'],
      createdAt: at(index),
      updatedAt: at(index),
    };
  });
  await prisma.customer.createMany({ data: customers });
  const statuses = ['succeeded', 'declined', 'failed', 'pending'];
  const subStatuses = ['captured', null, 'processing_error', 'processing'];
  await prisma.payment.createMany({
    data: Array.from({ length: 40 }, (_, index) => {
      const amount = BigInt((index % 5) * 100 + 1);
      const status = statuses[index % 4] ?? '';
      const state = {
        status,
        subStatus: subStatuses[index % 4] ?? null,
        capturedAmount: status === 'succeeded' ? amount : 0n,
      };
      const currency = index % 3 ? 'USD' : 'EUR';
      return {
        id: newId('pay_', at(index)),
        ...tenant,
        customerId,
        paymentInstrumentId,
        amount,
        currency,
        ...state,
        cardLast4: index % 2 ? '4242' : '0005',
        customerEmailLower: 'ada@example.com',
        createdAt: at(index),
        updatedAt: at(index),
      };
    }),
  });
}

const textFilter = fc.record({
  condition: fc.constantFrom('contains', 'does-not-contain', 'is', 'is-not', 'starts-with', 'ends-with'),
  value: fc.constantFrom('ada', 'ADA', '%', '_', '\\', 'a', '.com', '', '100%', 'a_b', 'zoe'),
});
const moment = fc.constantFrom(...days, ...moments);
const dateFilter = fc.oneof(
  fc.record({
    condition: fc.constantFrom('is-equal-date', 'is-after-date', 'is-before-date'),
    value: fc.tuple(moment),
  }),
  fc.record({ condition: fc.constant('is-between-date'), value: fc.tuple(moment, moment) }),
);
type TextFilter = { condition: string; value: string };
type DateFilter = { condition: string; value: readonly string[] };

const wildcardsLiteral = (value: string): string => value.replace(/[\\%_]/g, '\\$&');

/** The Prisma condition of a text filter; null counts as an empty string. */
function textWhere(column: string, { condition, value }: TextFilter, nullable: boolean): object {
  const mode = 'insensitive';
  const text = wildcardsLiteral(value);
  const positive: Record<string, object> = {
    contains: { contains: text, mode },
    is: { equals: text, mode },
    'starts-with': { startsWith: text, mode },
    'ends-with': { endsWith: text, mode },
  };
  const negated = { 'does-not-contain': 'contains', 'is-not': 'is' }[condition];
  const is = { [column]: positive[negated ?? condition] };
  // Prisma translates an insensitive `equals` to ILIKE, so wildcards are escaped there as well.
  const matches = nullable && value === '' ? { OR: [is, { [column]: null }] } : is;
  if (negated === undefined) return matches;
  return nullable && value !== '' ? { OR: [{ NOT: is }, { [column]: null }] } : { NOT: matches };
}

const dayMs = 86_400_000;
const start = (value: string): number => new Date(value).getTime();
const end = (value: string): number => start(value) + (value.length === 10 ? dayMs : 1);

function dateWhere({ condition, value: [first = '', last = first] }: DateFilter): object {
  if (condition === 'is-after-date') return { createdAt: { gte: new Date(end(first)) } };
  if (condition === 'is-before-date') return { createdAt: { lt: new Date(start(first)) } };
  return { createdAt: { gte: new Date(start(first)), lt: new Date(end(last)) } };
}

const paging = fc.record({
  page: fc.integer({ min: 1, max: 5 }),
  pageSize: fc.constantFrom(1, 3, 7, 20, 100),
  bySubKey: fc.boolean(),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
});
const optional = { requiredKeys: [] };

/** Prisma's result of the same query: the ids of the page, and the total. */
async function byPrisma(
  model: 'customer' | 'payment',
  where: object[],
  field: string,
  {
    page,
    pageSize,
    bySubKey,
    direction,
  }: { page: number; pageSize: number; bySubKey: boolean; direction: 'asc' | 'desc' },
) {
  const tenant = bySubKey ? { platformAccountId: accounts[0]?.id } : { partnerId: partner.id, mode: 'test' };
  const query = {
    where: { AND: [tenant, ...where] },
    orderBy: [{ [field]: direction }, { id: direction }],
    skip: (page - 1) * pageSize,
    take: pageSize,
    select: { id: true },
  } as const;
  const { prisma } = platform.services;
  const delegate = prisma[model] as unknown as {
    findMany(args: object): Promise<{ id: string }[]>;
    count(args: object): Promise<number>;
  }; // the two models accept the same queries
  const [items, total] = await Promise.all([delegate.findMany(query), delegate.count({ where: query.where })]);
  return { ids: items.map(({ id }) => id), total, totalPages: Math.ceil(total / pageSize) };
}

async function byList(path: string, body: object, bySubKey: boolean) {
  const api = bySubKey ? accounts[0]?.api : partner.api;
  const { items, total, totalPages } = await api?.ok(path, body);
  return { ids: items.map(({ id }: { id: string }) => id), total, totalPages };
}

test('customers/list and Prisma agree on every page, sort and filter', async () => {
  const question = fc.record({
    paging,
    field: fc.constantFrom('createdAt', 'email', 'firstName', 'lastName'),
    filters: fc.record(
      {
        email: textFilter,
        firstName: textFilter,
        lastName: textFilter,
        createdAt: dateFilter,
        tags: fc.subarray(['k:1', 'k:2', 'z:1', 'no:1'], { minLength: 1 }),
        storeId: fc.boolean(),
      },
      optional,
    ),
  });
  const check = async ({
    paging: requested,
    field,
    filters: { storeId, ...filters },
  }: typeof question extends fc.Arbitrary<infer Value> ? Value : never): Promise<void> => {
    const where: object[] = [];
    if (filters.email) where.push(textWhere('emailLower', filters.email, false));
    if (filters.firstName) where.push(textWhere('firstName', filters.firstName, true));
    if (filters.lastName) where.push(textWhere('lastName', filters.lastName, true));
    if (filters.createdAt) where.push(dateWhere(filters.createdAt));
    if (filters.tags) where.push({ tags: { hasSome: filters.tags } });
    if (storeId) where.push({ storeId: accounts[0]?.storeId });
    const { page, pageSize, direction, bySubKey } = requested;
    const body = {
      page,
      pageSize,
      sortBy: { field, direction },
      filters: { ...filters, ...(storeId && { storeId: [accounts[0]?.storeId] }) },
    };
    expect(await byList('/customers/list', body, bySubKey), JSON.stringify(body)).toEqual(
      await byPrisma('customer', where, field === 'email' ? 'emailLower' : field, requested),
    );
  };
  await fc.assert(fc.asyncProperty(question, check), { numRuns: runs, seed: 1 });
}, 90_000);

test('POST /payments and Prisma agree on every page, sort and filter', async () => {
  const question = fc.record({
    paging,
    field: fc.constantFrom('createdAt', 'amount', 'status'),
    filters: fc.record(
      {
        status: fc.subarray(['succeeded', 'declined', 'failed', 'pending', 'refunded']),
        currency: fc.subarray(['USD', 'EUR', 'GBP']),
        createdAt: dateFilter,
        cardLast4: textFilter,
        customerEmail: textFilter,
        amount: fc.record({ min: fc.constantFrom(1, 2, 101, 300), max: fc.constantFrom(1, 101, 200, 401) }, optional),
      },
      optional,
    ),
  });
  const check = async ({
    paging: requested,
    field,
    filters,
  }: typeof question extends fc.Arbitrary<infer Value> ? Value : never): Promise<void> => {
    const where: object[] = [];
    if (filters.status) where.push({ status: { in: filters.status } });
    if (filters.currency) where.push({ currency: { in: filters.currency } });
    if (filters.createdAt) where.push(dateWhere(filters.createdAt));
    if (filters.cardLast4) where.push(textWhere('cardLast4', filters.cardLast4, false));
    if (filters.customerEmail) where.push(textWhere('customerEmailLower', filters.customerEmail, false));
    if (filters.amount?.min !== undefined) where.push({ amount: { gte: filters.amount.min } });
    if (filters.amount?.max !== undefined) where.push({ amount: { lte: filters.amount.max } });
    const { page, pageSize, direction, bySubKey } = requested;
    const body = { pagination: { page, pageSize }, sortBy: { field, direction }, filters };
    expect(await byList('/payments', body, bySubKey), JSON.stringify(body)).toEqual(
      await byPrisma('payment', where, field, requested),
    );
  };
  await fc.assert(fc.asyncProperty(question, check), { numRuns: runs, seed: 2 });
}, 90_000);

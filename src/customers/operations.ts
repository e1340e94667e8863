import { tenantOf } from '../auth/tenancy.ts';
import { Prisma, type Store } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { date, oneOf, overlaps, text } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, invalid, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';
import { write, type Write } from '../kit/write.ts';
import { atStore } from '../stores/operations.ts';
import { atCustomersTime, onClock, testClockOf } from '../test-clocks/operations.ts';
import type { CreateCustomerInput, CustomerFilters, UpdateCustomerInput } from './schema.ts';
import type { CustomerRow } from './types.ts';

const customerList: ListDefinition<typeof CustomerFilters.$inferInput> = {
  table: 'customers',
  extra: { columns: 's.name AS "storeName"', joins: 'LEFT JOIN stores s ON s.id = t."storeId"' },
  sorts: { createdAt: 'createdAt', email: 'emailLower', firstName: 'firstName', lastName: 'lastName' },
  filters: {
    email: text('emailLower', { lowered: true }),
    firstName: text('firstName'),
    lastName: text('lastName'),
    createdAt: date('createdAt'),
    storeId: oneOf('storeId'),
    tags: overlaps('tags'),
  },
  counted: true,
  cursor: true,
};

export function listCustomers(
  context: KeyContext,
  args: ListArguments<typeof CustomerFilters.$inferInput>,
): Promise<Page<CustomerRow>> {
  return readList(context.env.pool, context.caller, customerList, args);
}

export async function readCustomer(context: KeyContext, customerId: string): Promise<CustomerRow> {
  const found = await context.env.prisma.customer.findFirst({
    where: { ...tenantOf(context.caller), id: customerId },
    include: { store: { select: { name: true } } },
  });
  if (!found) throw noSuchCustomer();
  const { store, ...customer } = found;
  return { ...customer, storeName: store.name };
}

export async function createCustomer(
  context: KeyContext,
  input: typeof CreateCustomerInput.$inferInput,
): Promise<CustomerRow> {
  assertTags(input.tags);
  return atStore(context, 'createCustomer', input.storeId, async (store) => {
    const testClock = input.testClockId == null ? null : await testClockOf(context, store, input.testClockId);
    return onClock(context.env, testClock, () =>
      write(context, 'createCustomer', (change) =>
        findOrAddCustomer(change, store, { ...input, testClockId: testClock?.id }),
      ),
    );
  });
}

type NewCustomer = Pick<
  typeof CreateCustomerInput.$inferInput,
  'email' | 'firstName' | 'lastName' | 'phone' | 'tags' | 'billingAddress' | 'shippingAddress' | 'metadata'
> & { testClockId?: string | undefined };

/** The store's customer with this e-mail address, added within a change that is under way when there is none yet. */
export async function findOrAddCustomer(change: Write, store: Store, input: NewCustomer): Promise<CustomerRow> {
  const { tx, now } = change;
  const { partnerId, platformAccountId, mode } = store;
  const emailLower = input.email.toLowerCase();
  const data = {
    id: newId('customer', now),
    partnerId,
    platformAccountId,
    mode,
    storeId: store.id,
    email: input.email,
    emailLower,
    firstName: input.firstName ?? null,
    lastName: input.lastName ?? null,
    phone: input.phone ?? null,
    tags: unique(input.tags),
    billingAddress: json(input.billingAddress),
    shippingAddress: json(input.shippingAddress),
    metadata: (input.metadata ?? {}) as Prisma.InputJsonObject, // the scalar has checked that it is plain JSON
    testClockId: input.testClockId ?? null,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  };
  const [added] = await tx.customer.createManyAndReturn({ data: [data], skipDuplicates: true });
  if (added) change.event(customerEvent('customer/created', added));
  const customer =
    added ??
    (await tx.customer.findUniqueOrThrow({ where: { storeId_emailLower: { storeId: store.id, emailLower } } }));
  return { ...customer, storeName: store.name };
}

export async function updateCustomer(
  context: KeyContext,
  customerId: string,
  input: typeof UpdateCustomerInput.$inferInput,
): Promise<CustomerRow> {
  assertTags(input.tags);
  if (input.email === null) throw invalid('email', 'must not be null: a customer has an e-mail address');
  const update = () =>
    write(context, 'updateCustomer', async (change) => {
      const before = await change.tx.customer.findFirst({ where: { ...tenantOf(context.caller), id: customerId } });
      if (!before) throw noSuchCustomer();
      const data = changesOf(input);
      if (Object.keys(data).length === 0) return before;
      return touchCustomer(change, customerId, data);
    });
  return atCustomersTime(context, { customerId }, update).catch((error: unknown) => {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw new Conflict('already_exists', 'Another customer of the store has this e-mail address.');
    throw error;
  });
}

/** Changes a customer within a change that is under way, and tells of it. */
export async function touchCustomer(
  change: Write,
  customerId: string,
  data: Prisma.CustomerUpdateManyMutationInput,
): Promise<CustomerRow> {
  const customer = await change.tx.customer.update({
    where: { id: customerId },
    data: { ...data, sequence: { increment: 1 }, updatedAt: change.now },
  });
  change.event(customerEvent('customer/updated', customer));
  return customer;
}

function changesOf(input: typeof UpdateCustomerInput.$inferInput): Prisma.CustomerUpdateManyMutationInput {
  const { email, tags, billingAddress, shippingAddress, metadata, ...plain } = input;
  const named = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
  return {
    ...named,
    ...(email != null && { email, emailLower: email.toLowerCase() }),
    ...(tags !== undefined && { tags: unique(tags) }),
    ...(billingAddress !== undefined && { billingAddress: json(billingAddress) }),
    ...(shippingAddress !== undefined && { shippingAddress: json(shippingAddress) }),
    ...(metadata !== undefined && { metadata: (metadata ?? {}) as Prisma.InputJsonObject }), // checked by the scalar
  };
}

function assertTags(tags: readonly string[] | null | undefined): void {
  if (tags && tags.length > 50) throw invalid('tags', 'must have at most 50 entries');
}

function unique(tags: readonly string[] | null | undefined): string[] {
  return [...new Set(tags ?? [])];
}

function json(value: object | null | undefined) {
  return value == null ? Prisma.DbNull : (value as Prisma.InputJsonObject); // an input object is plain JSON
}

function customerEvent(type: 'customer/created' | 'customer/updated', customer: CustomerRow): EventDraft {
  const { mode, sequence, partnerId, emailLower: _emailLower, ...object } = customer;
  const { id: objectId, platformAccountId, storeId } = customer;
  return {
    type,
    partnerId,
    platformAccountId,
    mode: mode as Mode,
    storeId,
    objectId,
    sequence,
    object: { ...object, livemode: mode === 'live' },
  }; // a CHECK constraint holds mode to the two
}

export function noSuchCustomer(): NotFound {
  return new NotFound('There is no such customer.');
}

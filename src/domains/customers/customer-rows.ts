import { lockRow } from '../../database/lock-row.ts';
import { sql } from '../../database/sql.ts';
import { type Customer, Prisma, type Store } from '../../generated/prisma/client.ts';
import { type AddressObject, type AddressValue, addressObject } from '../../graph/shared-types.ts';
import { Conflict, invalid } from '../../lib/errors.ts';
import { newRow } from '../../lib/ids.ts';
import { type EventDraft, rowEvent } from '../../unit-of-work/records.ts';
import type { Write } from '../../unit-of-work/write.ts';
import type { CreateCustomerInput } from './inputs.ts';
import type { CustomerRow } from './types.ts';

/** A customer as the API returns it (rest/public/customers.graphql). */
interface CustomerObject {
  id: string;
  storeId: string;
  storeName: string;
  platformAccountId: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  phone: string | null;
  tags: string[];
  billingAddress: AddressObject | null;
  shippingAddress: AddressObject | null;
  metadata: unknown;
  lastOrderId: string | null;
  paymentInstrumentCardLast4: string | null;
  testClockId: string | null;
  deletedAt: Date | null;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

function customerObject(customer: Customer, storeName: string): CustomerObject {
  return {
    id: customer.id,
    storeId: customer.storeId,
    storeName,
    platformAccountId: customer.platformAccountId,
    email: customer.email,
    firstName: customer.firstName,
    lastName: customer.lastName,
    phone: customer.phone,
    tags: customer.tags,
    // both addresses are written from AddressInput only
    billingAddress: addressObject(customer.billingAddress as AddressValue | null),
    shippingAddress: addressObject(customer.shippingAddress as AddressValue | null),
    metadata: customer.metadata,
    lastOrderId: customer.lastOrderId,
    paymentInstrumentCardLast4: customer.paymentInstrumentCardLast4,
    testClockId: customer.testClockId,
    deletedAt: customer.deletedAt,
    livemode: customer.mode === 'live',
    createdAt: customer.createdAt,
    updatedAt: customer.updatedAt,
  };
}

type NewCustomer = Pick<
  typeof CreateCustomerInput.$inferInput,
  'email' | 'firstName' | 'lastName' | 'phone' | 'tags' | 'billingAddress' | 'shippingAddress' | 'metadata'
> & {
  testClockId?: string | undefined;
  /** The checkout session of a visitor. */
  guestSessionId?: string | undefined;
};

/**
 * The store's customer with this email address, added within the caller's database transaction if there is none. A
 * visitor of a checkout page can enter any address, so a visitor becomes a customer of their own session and never an
 * existing one.
 */
export async function findOrAddCustomer(change: Write, store: Store, input: NewCustomer): Promise<CustomerRow> {
  const { tx, now } = change;
  const emailLower = input.email.toLowerCase();
  const data = {
    ...newRow('cus_', store, now),
    storeId: store.id,
    email: input.email,
    emailLower,
    firstName: input.firstName ?? null,
    lastName: input.lastName ?? null,
    phone: input.phone ?? null,
    tags: uniqueTags(input.tags),
    billingAddress: jsonColumn(input.billingAddress),
    shippingAddress: jsonColumn(input.shippingAddress),
    metadata: input.metadata ?? {},
    testClockId: input.testClockId ?? null,
    guestSessionId: input.guestSessionId ?? null,
    sequence: 1,
  };
  const [added] = await tx.customer.createManyAndReturn({ data: [data], skipDuplicates: true });
  if (added) change.event(customerEvent('customer/created', added, store.name));
  const customer =
    added ??
    (await tx.customer.findFirstOrThrow({
      where: { storeId: store.id, emailLower, guestSessionId: data.guestSessionId },
    }));
  return { ...customer, storeName: store.name };
}

/**
 * Updates a customer within the caller's database transaction and records its event. `store` is the store of the
 * customer, if the caller has read it. 409 for a deleted customer, also if it was deleted since the caller has read it.
 */
export async function touchCustomer(
  change: Write,
  customerId: string,
  data: Prisma.CustomerUpdateManyMutationInput,
  store?: Pick<Store, 'name'>,
): Promise<CustomerRow> {
  const customer = await change.tx.customer.update({
    where: { id: customerId },
    data: { ...data, sequence: { increment: 1 }, updatedAt: change.now },
  });
  if (data.deletedAt === undefined) assertNotDeleted(customer);
  const { name: storeName } =
    store ?? (await change.tx.store.findUniqueOrThrow({ where: { id: customer.storeId }, select: { name: true } }));
  change.event(customerEvent('customer/updated', customer, storeName));
  return { ...customer, storeName };
}

/** Refuses what a deleted customer cannot be used for: 409. */
export function assertNotDeleted({ id, deletedAt }: Pick<Customer, 'id' | 'deletedAt'>): void {
  if (deletedAt !== null) throw new Conflict('invalid_state', `The customer ${id} was deleted: create another one.`);
}

/** Locks a customer that is to be used, as `lockCustomer`. 409 if it was deleted. */
export async function lockCustomerForUse(tx: Prisma.TransactionClient, customerId: string): Promise<void> {
  const [locked] = await tx.$queryRaw<Pick<Customer, 'id' | 'deletedAt'>[]>(
    sql`SELECT id, "deletedAt" FROM customers WHERE id = ${customerId} FOR NO KEY UPDATE`,
  );
  if (locked) assertNotDeleted(locked);
}

/** Locks a customer against other changes of the customer's default card and of its subscriptions. */
export async function lockCustomer(tx: Prisma.TransactionClient, customerId: string): Promise<void> {
  await lockRow(tx, 'customers', customerId);
}

export function assertTags(tags: readonly string[] | null | undefined): void {
  if (tags && tags.length > 50) throw invalid('tags', 'must contain at most 50 items');
}

export function uniqueTags(tags: readonly string[] | null | undefined): string[] {
  return [...new Set(tags ?? [])];
}

export function jsonColumn(value: object | null | undefined) {
  return value == null ? Prisma.DbNull : (value as Prisma.InputJsonObject); // an input object is plain JSON
}

function customerEvent(
  type: 'customer/created' | 'customer/updated',
  customer: CustomerRow,
  storeName: string,
): EventDraft {
  return rowEvent(type, customer, customerObject(customer, storeName));
}

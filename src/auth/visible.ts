import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { NotFound } from '../lib/errors.ts';
import { accountWhere, type ObjectVisibility, type Tenant, tenantWhere } from './tenancy.ts';
import { objectVisibilityOf, type Viewer } from './visibility.ts';

/** The objects of tenants that are read by their identifiers, by the names of their models, and how a 404 begins. */
const names = {
  apiKey: 'API key',
  blockRule: 'Block rule',
  clientSession: 'Client session',
  customer: 'Customer',
  dispute: 'Dispute',
  funnel: 'Funnel',
  funnelSession: 'Funnel session',
  order: 'Order',
  payment: 'Payment',
  paymentFlow: 'Payment flow',
  paymentInstrument: 'Payment instrument',
  pluginDeployment: 'Plugin deployment',
  pluginInstance: 'Plugin instance',
  price: 'Price',
  processingAccount: 'Account',
  processor: 'Processor',
  product: 'Product',
  store: 'Store',
  subscription: 'Subscription',
  testClock: 'Test clock',
  webhookDelivery: 'Delivery',
  webhookEndpoint: 'Webhook endpoint',
} as const;

export type Kind = keyof typeof names;
type Query = { include?: object | null; select?: object; omit?: object };
type WhereOf<Of extends Kind> = NonNullable<Prisma.Args<PrismaClient[Of], 'findFirst'>['where']>;
type RowOf<Of extends Kind, Requested extends Query> = Prisma.Result<PrismaClient[Of], Requested, 'findFirstOrThrow'>;

/** What callers take for an identifier of the kind, by its prefix, with the hint of the error. */
const mistaken: { readonly [Of in Kind]?: readonly [prefix: string, hint: string] } = {
  paymentInstrument: ['tok_', 'This is a token: first create an instrument from it (create-from-token).'],
  processingAccount: [
    'acc_',
    'This is the identifier of an organization; that of a processing account begins with tpa_.',
  ],
};

/**
 * The error for an object that does not exist, or that the caller does not see. An identifier of another kind that is
 * taken for one of this kind gets a hint.
 */
export function noSuch(kind: Kind, id = ''): NotFound {
  const [prefix, said] = mistaken[kind] ?? [];
  const hint = prefix !== undefined && id.startsWith(prefix) ? ` ${said}` : '';
  return new NotFound(`${names[kind]} not found.${hint}`, kind === 'payment' ? 'PAYMENT_NOT_FOUND' : undefined);
}

/** The row that meets a condition, which is the caller's or contains it, or 404. */
export async function requireRow<const Of extends Kind, const Requested extends Query = { include?: null }>(
  database: Pick<PrismaClient, Of>,
  kind: Of,
  where: WhereOf<Of>,
  query?: Requested,
): Promise<RowOf<Of, Requested>> {
  // The models of a union have no common type of arguments.
  const model = database[kind] as unknown as { findFirst(query: object): Promise<RowOf<Of, Requested> | null> };
  const row = await model.findFirst({ ...query, where });
  if (row === null) throw noSuch(kind, typeof where.id === 'string' ? where.id : '');
  return row;
}

/** The object of a tenant with this identifier, or 404. `database` is the client or a transaction. */
export function ownRow<const Of extends Kind, const Requested extends Query = { include?: null }>(
  database: Pick<PrismaClient, Of>,
  tenant: Tenant,
  kind: Of,
  id: string,
  query?: Requested,
): Promise<RowOf<Of, Requested>> {
  return requireRow(database, kind, seenBy(tenant, kind, id), query);
}

/** The object with this identifier that the viewer sees, or 404. */
export async function visible<const Of extends Kind, const Requested extends Query = { include?: null }>(
  viewer: Viewer & { services: { prisma: PrismaClient } },
  kind: Of,
  id: string,
  query?: Requested,
): Promise<RowOf<Of, Requested>> {
  return requireRow(viewer.services.prisma, kind, seenBy(await objectVisibilityOf(viewer), kind, id), query);
}

/** The condition of a sub-key on an account is on its identifier, so the two are joined. */
function seenBy<Of extends Kind>(visibility: ObjectVisibility, kind: Of, id: string): WhereOf<Of> {
  const where =
    kind === 'processingAccount' ? { AND: [accountWhere(visibility)], id } : { ...tenantWhere(visibility), id };
  return where;
}

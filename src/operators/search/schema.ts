import { builder } from '../../graph/builder.ts';
import { Mode, storedColumn } from '../../graph/shared-types.ts';
import { findObjects } from './search.ts';
import { type FindKind, findKinds } from './search-kinds.ts';
import { hitsMax, type SearchResult } from './search-queries.ts';

const descriptions: Record<FindKind, string> = {
  payment: 'A payment.',
  transaction: 'A transaction of a payment.',
  refund: 'A refund.',
  dispute: 'A dispute.',
  order: 'An order.',
  subscription: 'A subscription.',
  customer: 'A customer.',
  paymentInstrument: 'A payment instrument.',
  account: 'A processing account.',
  store: 'A store.',
  apiKey: 'An API key of either kind.',
  processor: 'A processor of an account.',
  funnel: 'A funnel.',
  webhookEndpoint: 'A webhook endpoint.',
  webhookDelivery: 'A webhook delivery.',
  event: 'An event.',
  auditRow: 'A row of the audit log.',
  partner: 'A partner.',
  user: 'A user.',
};

const SearchHitKind = builder.enumType('SearchHitKind', {
  description: 'The kind of an object that was found.',
  values: Object.fromEntries(
    (Object.keys(findKinds) as FindKind[]).map((kind) => [kind, { description: descriptions[kind] }]),
  ) as Record<FindKind, { description: string }>, // the type of fromEntries has no names
});

export const SearchHit = builder.objectRef<SearchResult>('SearchHit').implement({
  description: 'An object that a text names.',
  fields: (t) => ({
    kind: t.field({ type: SearchHitKind, description: 'The kind of the object.', resolve: ({ kind }) => kind }),
    id: t.exposeID('id', { description: 'Unique identifier of the object.' }),
    label: t.exposeString('label', {
      description: 'The display label: the name, email address, card, type or status.',
    }),
    belongsTo: t.exposeID('belongsTo', {
      nullable: true,
      description:
        'Identifier of the parent object: the payment of a transaction, refund or dispute, the customer of an ' +
        'order, subscription or payment instrument, the account of a store, the endpoint of a delivery, the object ' +
        'of an event, the target of an audit row. Null for the others.',
    }),
    mode: t.field({
      type: Mode,
      nullable: true,
      description: 'The mode of the object. Null for one that has none.',
      ...storedColumn('mode'),
    }),
    partnerId: t.exposeID('partnerId', {
      nullable: true,
      description: 'Identifier of the partner, prefix `par_`. Null if it has none.',
    }),
    platformAccountId: t.exposeID('platformAccountId', {
      nullable: true,
      description: 'Identifier of the processing account, prefix `tpa_`. Null if it has none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of its creation.' }),
  }),
});

builder.queryField('search', (t) =>
  t.withAuth({ directory: true }).field({
    type: [SearchHit],
    description:
      'Finds what a text names, whatever its time: an identifier; an email address of customers and users; the last ' +
      'four digits of a card; an API key, by its public part; the reference of a processor; a part of the name of an ' +
      'account, a store, a processor or a partner, the likeliest first; the whole first name, last name or both of a ' +
      'customer, in lower case or with a capital letter if they are stored so; a `Request-Id`, whose ' +
      'audit rows and the objects it changed are returned. A `Request-Id` that the client chose is looked for in the ' +
      `latest 50,000 events. At most ${hitsMax} of a kind, the newest first. Empty if there is none. Everybody finds ` +
      'only what they may read: internal staff of all partners, admins and account managers of a partner of their own.',
    args: {
      text: t.arg({ type: 'Name', required: true, description: 'The text. Names and an email address in any case.' }),
      mode: t.arg({
        type: Mode,
        description: 'Only objects of this mode, and those without one. Without it, of both modes.',
      }),
    },
    resolve: (_root, { text, mode }, context) => findObjects(context, text, mode ?? null),
  }),
);

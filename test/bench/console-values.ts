import { idOf } from './console-ids.ts';

/** Values of one filter or argument, by what they are: frequent, rare, absent. */
export type Values = Readonly<Record<string, unknown>>;

const dayMs = 86_400_000;
export const dayAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

const ids = (prefix: string, frequent: number, rare: number): Values => ({
  frequent: idOf(prefix, frequent),
  rare: idOf(prefix, rare),
  absent: `${prefix}_absent`,
});
const each = (values: Values): Values => Object.fromEntries(Object.entries(values).map(([how, of]) => [how, [of]]));
const text = (frequent: string, rare: string): Values => ({
  'a frequent part': { condition: 'contains', value: frequent },
  'a rare part': { condition: 'contains', value: rare },
  'an absent part': { condition: 'contains', value: 'absent text' },
  'a beginning': { condition: 'starts_with', value: rare },
  'an end': { condition: 'ends_with', value: rare },
  'the whole': { condition: 'is', value: rare },
  'not the whole': { condition: 'is_not', value: rare },
  'not a part': { condition: 'does_not_contain', value: rare },
});

/** Values of filters that no type gives, by input type and field, or by field alone. */
export const filterValues: Readonly<Record<string, Values>> = {
  platformAccountId: ids('tpa', 0, 998),
  storeId: each(ids('store', 0, 998)),
  // Of all partners these lists have no index by store, and the console has no such filter.
  'BlockRuleFilters.storeId': {},
  'EventFilters.storeId': {},
  'WebhookEndpointFilters.storeId': {},
  customerId: ids('cus', 1, 21),
  orderId: ids('ord', 500, 40),
  subscriptionId: ids('sub', 1, 2),
  paymentId: ids('pay', 1007, 40),
  processorId: each(ids('proc', 0, 998)),
  priceId: ids('price', 0, 998),
  endpointId: ids('wh', 0, 998),
  objectId: ids('pay', 500, 40),
  eventId: { one: `${idOf('evt', 500)}2`, absent: 'evt_absent' },
  'ProcessorFilters.id': ids('proc', 0, 998),
  currency: each({ frequent: 'USD', rare: 'EUR', absent: 'JPY' }),
  country: each({ frequent: 'US', absent: 'DE' }),
  externalRef: { one: 'ref-7', absent: 'none' },
  'EventFilters.type': each({ frequent: 'payment/created', rare: 'payment/refunded', absent: 'funnel/converted' }),
  eventType: each({ frequent: 'payment/succeeded', rare: 'payment/refunded', absent: 'dispute/created' }),
  customerEmail: text('example', 'payer77@example.com'),
  email: text('example', 'Payer77@example.com'),
  'FunnelFilters.name': text('funnel', 'Funnel 77'),
  firstName: text('first', 'First 77'),
  lastName: text('last', 'Last 77'),
  legalName: text('merchant', 'Merchant 77'),
  cardLast4: text('4', '0007'),
  phone: { one: '+155577', absent: '+1' },
  tags: each({ frequent: 'tier:1', absent: 'tier:9' }),
  amount: { frequent: { min: 100, max: 9000 }, rare: { min: 137, max: 137 }, absent: { min: 90_000_000 } },
  processorReference: { one: idOf('tp_ch', 500), absent: 'ch_absent' },
  fingerprint: { one: `fingerprint${idOf('cus', 1)}`, absent: 'none' },
  action: each({ frequent: 'createExport', rare: 'closeAccount', absent: 'none' }),
  actorEmail: { one: 'staff7@example.com', absent: 'none@example.com' },
  actorUserId: { one: idOf('user', 7), absent: 'user_absent' },
  target: { one: idOf('pay', 400), absent: 'pay_absent' },
  reason: { frequent: 'asked', absent: 'none' },
  refusal: { frequent: 'caller_lacks_role', absent: 'none' },
  requestId: { one: 'req_77', absent: 'req_absent' },
};

/** Values of arguments that are no filters and no enums, by document and variable. */
export const argumentValues: Readonly<Record<string, Values>> = {
  'ObjectsByOwnName.text': { frequent: 'merchant', rare: 'Merchant 77', absent: 'unknown' },
  'SavedViews.list': { one: 'payments', absent: 'none' },
  'Users.q': { frequent: 'staff', rare: 'staff77', absent: 'unknown' },
  'Users.partnerScope': { frequent: 'bench-0', rare: 'bench-7', internal: '__internal__' },
  'Organizations.q': { frequent: 'organization', rare: 'organization 77', absent: 'unknown' },
  'UnappliedEvents.processorId': ids('proc', 0, 998),
};

const people = { action: 'invite', partnerSlug: 'bench-0' };
const days = (n: number) => ({
  from: dayAgo(n - 1),
  to: dayAgo(0),
  beforeFrom: dayAgo(2 * n - 1),
  beforeTo: dayAgo(n),
});
const accounts = { 'the biggest': { id: idOf('tpa', 0) }, 'a small one': { id: idOf('tpa', 998) } };

/** The forms of documents whose variables belong together, and the objects of detail pages. */
export const wholeForms: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>> = {
  Account: accounts,
  AccountStores: accounts,
  Kyb: accounts,
  Customer: { 'the biggest': { id: idOf('cus', 1) }, 'a small one': { id: idOf('cus', 21) } },
  Dispute: { one: { id: idOf('dp', 1007) } },
  Endpoint: { 'the busiest': { id: idOf('wh', 0) }, 'a small one': { id: idOf('wh', 998) } },
  Event: { one: { id: `${idOf('evt', 500)}2` } },
  Figures: { '7 days': days(7), '30 days': days(30), '90 days': days(90) },
  Find: {
    'a payment': { text: idOf('pay', 500) },
    'a refund': { text: idOf('ref', 25) },
    'an event': { text: `${idOf('evt', 500)}2` },
    'a delivery': { text: `${idOf('whd', 500)}2` },
    'an audit row': { text: idOf('aud', 77) },
    'a processor reference': { text: idOf('tp_ch', 500) },
    'an email': { text: 'payer77@example.com' },
    'an absent email': { text: 'unknown@example.com' },
    'four digits': { text: '0007' },
    'absent digits': { text: '9999' },
    'a key': { text: 'tp_sk_test_absent00' },
    'an absent id': { text: 'pay_absent00' },
    "a client's Request-Id": { text: 'checkout-4711-of-the-shop' },
    'a Request-Id of an audit row': { text: 'req_77777' },
  },
  Inspect: { one: { eventId: `${idOf('evt', 500)}2` } },
  MayAssignRoles: {
    one: { input: { targetUserId: idOf('user', 7), requestedRoles: ['accountmanager'], requestedScope: null } },
  },
  MayManageStaff: { one: { input: people } },
  NamesOf: {
    'an account': { text: idOf('tpa', 0) },
    'a customer': { text: idOf('cus', 1) },
    'an absent id': { text: 'tpa_absent' },
  },
  Order: { one: { id: idOf('ord', 500) } },
  Partner: { 'the biggest': { slug: 'bench-0' }, 'a small one': { slug: 'bench-7' } },
  Payment: { 'of the biggest customer': { id: idOf('pay', 500) }, disputed: { id: idOf('pay', 1007) } },
  Roster: { 'the biggest': { slug: 'bench-0' }, 'a small one': { slug: 'bench-7' } },
  Subscription: { one: { id: idOf('sub', 1) } },
  User: { one: { id: idOf('user', 7), isSelf: true } },
  UserSessions: { one: { userId: idOf('user', 7) } },
  UserChanges: { one: { by: { actorUserId: idOf('user', 7) }, about: { target: idOf('user', 7) } } },
  Invitations: { 'of a partner': { partnerSlug: 'bench-0' }, 'of an address': { email: 'staff7@example.com' } },
  TestClock: { one: { id: `${idOf('clock', 0)}1` } },
};

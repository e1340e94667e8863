import type { SessionCaller } from '../../../src/auth/caller.ts';
import { isHub, isReader } from '../../../src/auth/roles.ts';
import type { Demo } from '../../../src/settings/demo-credentials.ts';

/** A tab of GraphiQL. Its title is the name of the operation. */
export interface Tab {
  query: string;
  variables?: string;
  headers?: string;
}

const json = (value: object): string => JSON.stringify(value, null, 2);

const me = `# Who asks. Sign in at /idp/sign-in to ask as yourself, or send an API key in the headers below.
query Me {
  me { kind email platformRoles whitelabelOwnership }
}`;

/** The tabs for a visitor without a session: they run with the demo's key, if there is a demo. */
export function tabsOfKey(demo: Demo | undefined): Tab[] {
  const test = demo?.accounts.test;
  const headers = json({ Authorization: `Bearer ${test?.subKey ?? '<API_KEY>'}` });
  const storeId = test?.storeId ?? '<store_id>';
  const paymentInstrumentId = test?.paymentInstrumentId ?? '<payment_instrument_id>';
  return [
    { query: newestPayments, headers, variables: json({ mode: 'test' }) },
    { query: charge, headers, variables: json({ storeId, paymentInstrumentId }) },
    { query: newCard, headers, variables: json({ storeId }) },
    { query: account, headers, variables: json({ platformAccountId: test?.id ?? '<account_id>' }) },
    { query: me, headers },
  ];
}

const newestPayments = `# The newest payments. An API key reads those of its own mode; people name the mode.
query NewestPayments($mode: Mode) {
  payments(mode: $mode, pageSize: 5) {
    total
    items {
      id
      status
      amount
      currency
      createdAt
      customer { email }
    }
  }
}`;

const charge = `# Charges a card.
mutation Charge($storeId: ID!, $paymentInstrumentId: ID!) {
  processPayment(
    input: {
      storeId: $storeId
      paymentInstrumentId: $paymentInstrumentId
      amount: 2500
      currency: "USD"
    }
  ) {
    id status subStatus failureCode capturedAmount
    transactions { type status processorReference }
  }
}`;

const newCard = `# Creates a payment instrument from a test token.
mutation NewCard($storeId: ID!) {
  createPaymentInstrument(
    input: {
      storeId: $storeId
      token: "tok_visa"
      customerData: { email: "graphiql@example.com" }
    }
  ) {
    paymentInstrument { id card { brand last4 } }
    customer { id email }
  }
}`;

const account = `# An account with its stores and latest payments.
query Account($platformAccountId: ID!) {
  account(platformAccountId: $platformAccountId) {
    legalName
    status
    stores { id name chargeCurrencies }
    payments(first: 5) { id status amount currency }
  }
}`;

/** Payments of test mode for the initial tabs of a user. */
export interface TabPayments {
  newest?: string | undefined;
  /** Set only if the payment may be refunded as an example. */
  refundable?: string | undefined;
}

/** The tabs for a signed-in user, by their role. They contain no key and run with the user's session. */
export function tabsOfPerson(person: SessionCaller, now: Date, { newest, refundable }: TabPayments): Tab[] {
  if (!isReader(person)) return [{ query: me }];
  const mode = 'test';
  const placeholder = '<payment_id>';
  return [
    { query: newestPayments, variables: json({ mode }) },
    { query: findPayment, variables: json({ mode, email: '@example.com' }) },
    { query: onePayment, variables: json({ paymentId: newest ?? placeholder }) },
    { query: today, variables: json({ mode, day: now.toISOString().slice(0, 10) }) },
    { query: kybQueue, variables: json({ mode: 'live' }) },
    ...(isHub(person)
      ? [
          {
            query: refund,
            variables: json({ paymentId: refundable ?? placeholder, amount: 1, reason: 'Asked by the merchant' }),
          },
        ]
      : []),
    { query: keys, variables: json({ mode }) },
    { query: people },
    { query: me },
  ];
}

const findPayment = `# Finds payments of a customer, newest first. Other filters: cardLast4, amount, createdAt, orderId.
query FindPayment($mode: Mode!, $email: ShortText!) {
  payments(
    mode: $mode
    pageSize: 10
    filters: { customerEmail: { condition: contains, value: $email } }
  ) {
    total
    items {
      id
      status
      subStatus
      failureCode
      amount
      currency
      createdAt
      customer { id email }
    }
  }
}`;

const onePayment = `# Everything about one payment, whose id is in the variables below.
query OnePayment($paymentId: ID!) {
  payment(paymentId: $paymentId) {
    id status subStatus failureCode failureMessage amount capturedAmount refundedAmount currency
    transactions { type status amount createdAt }
    refunds { id status amount createdAt }
    disputes { id status amount }
    postings { account amount currency }
  }
}`;

/** A condition for the given day only. */
const onDay = 'createdAt: { condition: is_equal_date, value: [$day] }';

const today = `# How many payments a day had, by outcome. The day is in UTC.
query Today($mode: Mode!, $day: DateOrDateTime!) {
  all: payments(mode: $mode, filters: { ${onDay} }) { total }
  succeeded: payments(mode: $mode, filters: { status: [succeeded], ${onDay} }) { total }
  declined: payments(mode: $mode, filters: { status: [declined], ${onDay} }) { total }
  failed: payments(mode: $mode, filters: { status: [failed], ${onDay} }) { total }
  pending: payments(mode: $mode, filters: { status: [pending], ${onDay} }) { total }
  refunded: payments(mode: $mode, filters: { status: [refunded, partially_refunded], ${onDay} }) { total }
}`;

const kybQueue = `# Accounts that wait for a review, longest waiting first.
# Then: revealKyb shows what was sent; approveKyb and rejectKyb decide.
query KybQueue($mode: Mode!) {
  kybQueue(mode: $mode) {
    total
    items { submittedAt waitingSeconds account { id legalName country status } }
  }
}`;

const refund = `# Refunds a payment for its merchant: the id and the amount in minor units are in the variables below. Without an
# amount: all that is left. The reason is in the audit log.
mutation Refund($paymentId: ID!, $amount: Amount, $reason: Name!) {
  refundPayment(input: { paymentId: $paymentId, amount: $amount }, reason: $reason) {
    ... on RefundedPayment {
      refund { id status amount currency }
      payment { id status refundedAmount }
    }
    ... on RefundRequest { id status expiresAt }
  }
}`;

const keys = `# API keys, never their secrets.
query Keys($mode: Mode!) {
  apiKeys(mode: $mode, filters: { status: [active] }) {
    total
    items { id kind label prefix platformAccountId lastUsedAt }
  }
}`;

const people = `# People, newest first. q: a part of the email.
query People($q: ShortText) {
  users(limit: 20, q: $q) { total rows { email platformRoles whitelabelOwnership } }
}`;

import type { Config } from '../runtime/config.ts';
import { readDemo } from '../runtime/demo-credentials.ts';

interface Tab {
  query: string;
  variables?: string;
  headers?: string;
}

const list = `# The newest payments.
# The headers below contain the demo tenant's test key.
query NewestPayments {
  payments(pageSize: 5) {
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

const charge = `# Charges a card of the demo tenant.
mutation Charge($storeId: ID!, $paymentInstrumentId: ID!) {
  processPayment(
    input: {
      storeId: $storeId
      paymentInstrumentId: $paymentInstrumentId
      amount: 2500
      currency: "USD"
    }
  ) {
    payment { id status subStatus failureCode capturedAmount }
    transactions { type status processorReference }
  }
}`;

const instrument = `# Creates a payment instrument from a test token.
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
query Account($accountId: ID!) {
  account(accountId: $accountId) {
    legalName
    status
    stores { id name chargeCurrencies }
    payments(first: 5) { id status amount currency }
  }
}`;

const me = `# As a user: sign in at /idp/sign-in first. The cookie is then sent with every call. Send no API key.
query Me {
  me { kind email platformRoles whitelabelOwnership }
}`;

/** Tabs with documents that run without changes if the platform has its demo tenant. */
export function graphiqlTabs(config: Config): { defaultTabs: Tab[]; defaultHeaders: string } {
  const demo = config.isLocal ? readDemo(config) : undefined;
  const headers = JSON.stringify({ Authorization: `Bearer ${demo?.accounts.test.subKey ?? '<API_KEY>'}` }, null, 2);
  const storeId = demo?.accounts.test.storeId ?? '<store_id>';
  const defaultTabs = [
    { query: list, headers },
    {
      query: charge,
      headers,
      variables: JSON.stringify(
        { storeId, paymentInstrumentId: demo?.accounts.test.paymentInstrumentId ?? '<payment_instrument_id>' },
        null,
        2,
      ),
    },
    { query: instrument, headers, variables: JSON.stringify({ storeId }, null, 2) },
    {
      query: account,
      headers,
      variables: JSON.stringify({ accountId: demo?.accounts.test.id ?? '<account_id>' }, null, 2),
    },
    { query: me, headers: '{}' },
  ];
  // GraphiQL shows the headers of a tab only after a change to it: the first tab has the default headers. With an
  // invalid key it could not even read the schema.
  return { defaultTabs, defaultHeaders: demo ? headers : '{}' };
}

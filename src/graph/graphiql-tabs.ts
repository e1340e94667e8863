import { readDemo } from '../kit/demo.ts';
import type { Config } from '../kit/config.ts';

interface Tab {
  query: string;
  variables?: string;
  headers?: string;
}

const list = `# The newest payments.
# The headers below carry the demo tenant's test key.
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
mutation Charge($storeId: String!, $paymentInstrumentId: String!) {
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

const instrument = `# Makes a card to charge of a test token.
mutation NewCard($storeId: String!) {
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
query Account($accountId: String!) {
  account(accountId: $accountId) {
    legalName
    status
    stores { id name chargeCurrencies }
    payments(first: 5) { id status amount currency }
  }
}`;

const me = `# As a person: sign in at /idp/sign-in first. The cookie then goes with every call, as long as the headers carry no key.
query Me {
  me { kind email platformRoles whitelabelOwnership }
}`;

/** Ready tabs that run as they stand when the platform has its demo tenant. */
export function graphiqlTabs(config: Config): { defaultTabs: Tab[]; defaultHeaders: string } {
  const demo = readDemo(config);
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
  // GraphiQL shows a tab's own headers only once somebody has changed to it: the one that is open at first takes these.
  // A key that is none would keep even the schema from it.
  return { defaultTabs, defaultHeaders: demo ? headers : '{}' };
}

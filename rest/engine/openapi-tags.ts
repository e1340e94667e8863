import type { JsonSchema } from './openapi-schemas.ts';

/** The groups of the reference, in the order in which a newcomer needs them. A group is a folder of documents. */
const groups: Readonly<Record<string, [title: string, description: string]>> = {
  keys: [
    'Keys',
    'Who calls. A partner key reaches all accounts of its partner, a sub-key one account. A secret is shown once, when it is made.',
  ],
  accounts: [
    'Accounts',
    'One processing account for each merchant. It lives in the mode of the key that made it, and all below it does.',
  ],
  kyb: ['KYB', 'What is asked about the business of an account before it may charge in live mode.'],
  stores: ['Stores', 'Where an account sells, and in which currencies. Each account has one from its beginning.'],
  customers: ['Customers', 'Who pays. An e-mail address names one customer of a store.'],
  instruments: [
    'Payment instruments',
    'Cards: tokenize a number, make the token a payment instrument of a customer, charge that as often as you like.',
  ],
  payments: ['Payments', 'Charge, hold, capture, void, refund. A declined charge is no error: look at `status`.'],
  orders: ['Orders', 'What is paid for. An order follows the payment that names it.'],
  products: ['Products', 'What is sold, at prices that are paid once or each period.'],
  subscriptions: ['Subscriptions', 'Customers who pay each period: trials, renewals, retries, changes of price.'],
  disputes: ['Disputes', "Captured money that a cardholder's bank takes back. In test mode you make them yourself."],
  'block-rules': ['Block rules', 'Charges that are declined before a processor is asked.'],
  processors: ['Processors', "Where charges go, and how a merchant's own account there is connected."],
  'payment-flows': ['Payment flows', 'Which processor a charge goes to, and which are tried when it fails.'],
  funnels: ['Funnels', 'The steps a visitor takes to a purchase, and what each of them came to.'],
  plugins: [
    'Plugins',
    'Your own checkout pages, deployed and configured live. Errors here are `{message, code, issues}`.',
  ],
  webhooks: ['Webhooks', 'Your endpoints, which hear of events: signed, and sent again until they answer.'],
  events: ['Events', 'Everything that changed, in order, for good.'],
  'test-clocks': ['Test clocks', 'Time of your own for customers in test mode: a year of renewals in seconds.'],
};

/** The groups that are there, in order; one that nobody has described comes last. */
export function tagsOf(names: ReadonlySet<string>): JsonSchema[] {
  const known = Object.keys(groups).filter((name) => names.has(name));
  const others = [...names].filter((name) => !Object.hasOwn(groups, name)).sort();
  return [...known, ...others].map((name) => {
    const [title, description] = groups[name] ?? [name, ''];
    return { name, 'x-displayName': title, ...(description !== '' && { description }) };
  });
}

const shortForms: Readonly<Record<string, string>> = { api: 'API', kyb: 'KYB' };

/** `CreateApiKey` → `Create API key`: what the reference lists, where a whole sentence would be too long to look through. */
export function titleOf(operation: string): string {
  const words = operation.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const title = words.map((word) => shortForms[word] ?? word).join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

// A marketplace: opens an account for a seller, sends its KYB, mints a key for it, and charges with that key.
// PARTNER_KEY=tp_sk_partner_test_… PLATFORM_URL=http://localhost:4000 node marketplace.ts
import { Platform } from '@partner-payments/sdk';

const { PARTNER_KEY = '', PLATFORM_URL: baseUrl = 'http://localhost:4000' } = process.env;
const platform = Platform.test(PARTNER_KEY, { baseUrl });

const seller = { id: 'seller-17', legalName: 'Corner Shop Ltd', website: 'https://shop.example.com' };

// Keys named after the seller: if this program stops in the middle, it is run again and opens nothing twice.
const account = await platform.accounts.create(
  { legalName: seller.legalName, country: 'US', currency: 'USD', externalRef: seller.id },
  { idempotencyKey: `account-${seller.id}` },
);
const { requirements } = await platform.kyb.get(account);
console.log(account.status, 'with', requirements.length, 'requirements');
await platform.kyb.submit(account, {
  items: [
    { code: 'business.legal_name', value: seller.legalName },
    { code: 'business.website', value: seller.website },
  ],
});

// The secret is answered once. `as` makes a client that sees this account alone.
const key = await platform.apiKeys.create(account, { label: 'marketplace server' });
const shop = platform.as(key);

const { paymentInstrument } = await shop.paymentInstruments.createFromToken({
  token: 'tok_visa',
  customerData: { email: 'payer@example.com' },
});
const { payment } = await shop.payments.process({
  paymentInstrumentId: paymentInstrument,
  amount: 2500,
  currency: 'USD',
});
console.log('charged', payment.amount, 'for', account.legalName);

// The partner sees the payments of all its sellers.
const [latest] = await platform.payments
  .list({ sortBy: { field: 'createdAt', direction: 'desc' } })
  .toArray({ limit: 1 });
console.log('the latest is of', latest?.platformAccountId === account.id ? 'this seller' : 'another seller');

// A key that leaked is revoked: from the answer on, no server takes it.
await platform.apiKeys.revoke(key);
for await (const { prefix, status } of platform.apiKeys.list(account)) console.log(prefix.slice(0, 11), status);

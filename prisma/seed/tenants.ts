import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiKeyCaller, PartnerKeyCaller } from '../../src/auth/caller.ts';
import { createContext, type KeyContext, type PartnerKeyContext } from '../../src/call/context.ts';
import { createAccount, setAccountStatus } from '../../src/domains/accounts/change-account.ts';
import { createPaymentInstrument } from '../../src/domains/instruments/create-payment-instrument.ts';
import { tokenizeCard } from '../../src/domains/instruments/tokenize-card.ts';
import { createApiKey } from '../../src/domains/keys/change-key.ts';
import { createStore } from '../../src/domains/stores/change-store.ts';
import type { Partner, ProcessingAccount } from '../../src/generated/prisma/client.ts';
import type { Mode } from '../../src/lib/ids.ts';
import { provisionPartner, provisionPartnerKey } from '../../src/people/partners/provision-partner.ts';
import type { Services } from '../../src/services.ts';
import type { Demo } from '../../src/settings/demo-credentials.ts';
import type { Writer } from '../../src/unit-of-work/write.ts';
import { nameOf } from './names.ts';

/** A store, and the key that acts on it. */
export interface Shop {
  name: string;
  caller: ApiKeyCaller;
  storeId: string;
  currency: string;
  customers: number;
}

const requestId = 'demo_seed';
const ip = '127.0.0.1';

export function contextOf<Caller extends ApiKeyCaller>(
  services: Services,
  caller: Caller,
): KeyContext & { caller: Caller } {
  return createContext({ services, caller, requestId, ip }) as KeyContext & { caller: Caller }; // the caller just given
}

/** The tenants' part of `.platform/demo.json`; the rest is people and their organizations. */
export type DemoTenants = Omit<Demo, 'users' | 'organizations'>;

type Operator = Writer & { services: Services };

/** Partners, accounts, stores and keys, and their entries in `.platform/demo.json`. */
export async function openTenants(services: Services): Promise<{ demo: DemoTenants; shops: Shop[] }> {
  const operator: Operator = {
    services,
    actor: { kind: 'system', id: 'demo-seed' },
    requestId,
    ip,
    idempotency: null,
    replayed: false,
  };
  const first = await provisionPartner(operator, {
    slug: 'demo-partner',
    name: 'Demo Partner',
    branding: { primaryColor: '#0f766e', logoImage: dataUrlOf('partner-logo.png') },
  });
  const second = await provisionPartner(operator, { slug: 'second-partner', name: 'Second Partner' });
  const test = await openPartner(operator, first, 'test');
  const live = services.config.sandbox ? null : await openPartner(operator, first, 'live');
  const other = await openPartner(operator, second, 'test');

  const merchant = await openAccount(services, operator, test.caller, {
    legalName: 'Demo Merchant',
    country: 'US',
    currency: 'USD',
  });
  const liveMerchant =
    live &&
    (await openAccount(services, operator, live.caller, {
      legalName: 'Demo Merchant',
      country: 'US',
      currency: 'USD',
    }));
  const abroad = await openAccount(services, operator, test.caller, {
    legalName: 'Demo Merchant Abroad',
    country: 'DE',
    currency: 'EUR',
  });
  const strangers = await openAccount(services, operator, other.caller, {
    legalName: 'Second Merchant',
    country: 'GB',
    currency: 'GBP',
  });
  const partnersContext = contextOf(services, test.caller);
  const pounds = await createStore(partnersContext, {
    accountId: abroad.account.id,
    name: 'Store for Pounds',
    type: 'shopify',
    baseCurrency: 'GBP',
    presentmentCurrencies: ['GBP', 'EUR'],
    chargeCurrencies: ['GBP', 'EUR'],
  });
  const yen = await createStore(partnersContext, {
    accountId: abroad.account.id,
    name: 'Store for Yen',
    type: 'woocommerce',
    baseCurrency: 'JPY',
    presentmentCurrencies: ['JPY'],
    chargeCurrencies: ['JPY'],
  });

  const demo: DemoTenants = {
    baseUrl: services.config.publicUrl,
    partner: { id: first.id, slug: first.slug },
    partners: [first, second].map(({ id, slug }) => ({ id, slug })),
    partnerKeys: { test: test.secret, live: live?.secret ?? null },
    accounts: {
      test: await shown(services, merchant, 'tok_visa'),
      live: liveMerchant && (await shown(services, liveMerchant)),
    },
  };
  const shops = [
    { name: 'demo', caller: merchant.caller, storeId: merchant.storeId, currency: 'USD', customers: 110 },
    { name: 'abroad', caller: abroad.caller, storeId: abroad.storeId, currency: 'EUR', customers: 24 },
    { name: 'pounds', caller: test.caller, storeId: pounds.id, currency: 'GBP', customers: 12 },
    { name: 'yen', caller: test.caller, storeId: yen.id, currency: 'JPY', customers: 12 },
    { name: 'second', caller: strangers.caller, storeId: strangers.storeId, currency: 'GBP', customers: 12 },
    ...(liveMerchant
      ? [{ name: 'live', caller: liveMerchant.caller, storeId: liveMerchant.storeId, currency: 'USD', customers: 6 }]
      : []),
  ];
  return { demo, shops };
}

function dataUrlOf(png: string): string {
  return `data:image/png;base64,${readFileSync(join(import.meta.dirname, png)).toString('base64')}`;
}

async function openPartner(
  operator: Operator,
  partner: Partner,
  mode: Mode,
): Promise<{ caller: PartnerKeyCaller; secret: string }> {
  const {
    id: keyId,
    prefix: keyPrefix,
    secret,
  } = await provisionPartnerKey(operator, partner.slug, { mode, label: `Demo partner key (${mode})` });
  return { caller: { kind: 'partnerKey', keyId, keyPrefix, mode, partnerId: partner.id }, secret };
}

interface OpenedAccount {
  account: ProcessingAccount;
  storeId: string;
  caller: ApiKeyCaller;
  subKey: string;
}

async function openAccount(
  services: Services,
  operator: Writer,
  caller: PartnerKeyCaller,
  input: { legalName: string; country: string; currency: string },
): Promise<OpenedAccount> {
  const context: PartnerKeyContext = contextOf(services, caller);
  const { id } = await createAccount(context, {
    ...input,
    externalRef: input.legalName.toLowerCase().replaceAll(' ', '-'),
  });
  const account = await setAccountStatus(operator, id, { status: 'active', plan: 'premium' });
  const { id: storeId } = await services.prisma.store.findFirstOrThrow({ where: { platformAccountId: id } });
  const { id: keyId, prefix: keyPrefix, secret } = await createApiKey(context, id, { label: 'Demo sub-key' });
  return {
    account,
    storeId,
    caller: { kind: 'subKey', keyId, keyPrefix, mode: caller.mode, partnerId: caller.partnerId, platformAccountId: id },
    subKey: secret ?? '',
  };
}

/** The account as the demo file contains it, with an instrument that is approved for the examples. */
async function shown(
  services: Services,
  { account, storeId, caller, subKey }: OpenedAccount,
  testToken?: string,
): Promise<Demo['accounts']['test']> {
  const context = contextOf(services, caller);
  const expYear = services.clock.now().getUTCFullYear() + 4;
  const token =
    testToken ??
    (await tokenizeCard(context, { storeId, cardNumber: '4111111111111111', expMonth: 12, expYear, cvc: '123' })).token;
  const { paymentInstrument } = await createPaymentInstrument(context, {
    storeId,
    token,
    customerData: { email: 'customer@example.com', ...nameOf(0) },
  });
  return { id: account.id, storeId, subKey, paymentInstrumentId: paymentInstrument.id };
}

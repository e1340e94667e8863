import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PartnerTenant, Tenant } from '../../src/auth/tenancy.ts';
import { type Actor, type Context, contextFor } from '../../src/call/context.ts';
import { createAccount, setAccountStatus } from '../../src/domains/accounts/change-account.ts';
import { createPaymentInstrument } from '../../src/domains/instruments/create-payment-instrument.ts';
import { tokenizeCard } from '../../src/domains/instruments/tokenize-card.ts';
import { createApiKey } from '../../src/domains/keys/change-key.ts';
import { createStore, updateStore } from '../../src/domains/stores/change-store.ts';
import type { Partner, ProcessingAccount } from '../../src/generated/prisma/client.ts';
import { provisionPartner, provisionPartnerKey } from '../../src/iam/partners/provision-partner.ts';
import type { Mode } from '../../src/lib/ids.ts';
import type { Services } from '../../src/services.ts';
import { type Demo, demoNames } from '../../src/settings/demo-credentials.ts';
import type { Writer } from '../../src/unit-of-work/write.ts';

/** A key, as events and audit rows name it, and its tenant. */
export interface SeedKey<Of = Tenant> {
  tenant: Of;
  actor: Actor;
}

/** A store, and the key that acts on it. */
export interface Shop {
  name: string;
  key: SeedKey;
  storeId: string;
  currency: string;
  customers: number;
}

const requestId = 'demo_seed';
const ip = '127.0.0.1';

export function contextOf<Of extends Tenant>(
  services: Services,
  { tenant, actor }: SeedKey<Of>,
): Context & { tenant: Of } {
  const context = contextFor({ platformAccountId: null, ...tenant }, { services, actor, requestId, ip });
  return { ...context, tenant };
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
    answer: { replayed: false },
  };
  const first = await provisionPartner(operator, {
    slug: 'demo-partner',
    name: 'Demo Partner',
    branding: { primaryColor: '#0f766e', logoImage: dataUrlOf('partner-logo.png') },
  });
  const second = await provisionPartner(operator, demoNames.partner);
  const test = await openPartner(operator, first, 'test');
  const live = services.config.sandbox ? null : await openPartner(operator, first, 'live');
  const other = await openPartner(operator, second, 'test');

  const merchant = await openAccount(services, operator, test.key, {
    legalName: demoNames.merchant.legalName,
    country: 'US',
    currency: 'USD',
  });
  const liveMerchant =
    live &&
    (await openAccount(services, operator, live.key, {
      legalName: demoNames.merchant.legalName,
      country: 'US',
      currency: 'USD',
    }));
  const abroad = await openAccount(services, operator, test.key, {
    legalName: 'Corner Shop Europe GmbH',
    country: 'DE',
    currency: 'EUR',
  });
  const strangers = await openAccount(services, operator, other.key, {
    legalName: 'Harbor Bakery Ltd',
    country: 'GB',
    currency: 'GBP',
  });
  const partnersContext = contextOf(services, test.key);
  await updateStore(partnersContext, merchant.storeId, { name: demoNames.store });
  const pounds = await createStore(partnersContext, {
    platformAccountId: abroad.account.id,
    name: 'Corner Shop UK',
    type: 'shopify',
    baseCurrency: 'GBP',
    presentmentCurrencies: ['GBP', 'EUR'],
    chargeCurrencies: ['GBP', 'EUR'],
  });
  const yen = await createStore(partnersContext, {
    platformAccountId: abroad.account.id,
    name: 'Corner Shop Japan',
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
    { name: 'demo', key: merchant.key, storeId: merchant.storeId, currency: 'USD', customers: 110 },
    { name: 'abroad', key: abroad.key, storeId: abroad.storeId, currency: 'EUR', customers: 24 },
    { name: 'pounds', key: test.key, storeId: pounds.id, currency: 'GBP', customers: 12 },
    { name: 'yen', key: test.key, storeId: yen.id, currency: 'JPY', customers: 12 },
    { name: 'second', key: strangers.key, storeId: strangers.storeId, currency: 'GBP', customers: 12 },
    ...(liveMerchant
      ? [{ name: 'live', key: liveMerchant.key, storeId: liveMerchant.storeId, currency: 'USD', customers: 6 }]
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
): Promise<{ key: SeedKey<PartnerTenant>; secret: string }> {
  const label = `Demo partner key (${mode})`;
  const { id, secret } = await provisionPartnerKey(operator, partner.slug, { mode, label });
  return { key: { tenant: { partnerId: partner.id, mode }, actor: { kind: 'partnerKey', id, mode } }, secret };
}

/** A partner's own name of an account: its legal name in lower case, with hyphens. */
export function referenceOf(legalName: string): string {
  return legalName.toLowerCase().replaceAll('.', '').replaceAll(' ', '-');
}

interface OpenedAccount {
  account: ProcessingAccount;
  storeId: string;
  key: SeedKey;
  subKey: string;
}

async function openAccount(
  services: Services,
  operator: Writer,
  key: SeedKey<PartnerTenant>,
  input: { legalName: string; country: string; currency: string },
): Promise<OpenedAccount> {
  const context = contextOf(services, key);
  const { id } = await createAccount(context, {
    ...input,
    externalRef: referenceOf(input.legalName),
  });
  const account = await setAccountStatus(operator, id, { status: 'active', plan: 'premium' });
  const { id: storeId } = await services.prisma.store.findFirstOrThrow({ where: { platformAccountId: id } });
  const { id: keyId, secret } = await createApiKey(context, id, { label: 'Demo sub-key' });
  return {
    account,
    storeId,
    key: {
      tenant: { ...key.tenant, platformAccountId: id },
      actor: { kind: 'subKey', id: keyId, mode: key.tenant.mode },
    },
    subKey: secret ?? '',
  };
}

/** The account as the demo file contains it, with an instrument that is approved for the examples. */
async function shown(
  services: Services,
  { account, storeId, key, subKey }: OpenedAccount,
  testToken?: string,
): Promise<Demo['accounts']['test']> {
  const context = contextOf(services, key);
  const expYear = services.clock.now().getUTCFullYear() + 4;
  const token =
    testToken ??
    (await tokenizeCard(context, { storeId, cardNumber: '4111111111111111', expMonth: 12, expYear, cvc: '123' })).token;
  const { paymentInstrument } = await createPaymentInstrument(context, {
    storeId,
    token,
    customerData: demoNames.customer,
  });
  return { id: account.id, storeId, subKey, paymentInstrumentId: paymentInstrument.id };
}

import { newSecret } from '../../src/auth/secret.ts';
import { type Mode, newId } from '../../src/lib/ids.ts';
import { type Client, clientOf } from './client.ts';
import type { TestPlatform } from './platform.ts';

export interface SeededAccount {
  id: string;
  storeId: string;
  subKey: string;
  /** A client with the sub-key. */
  api: Client;
  /** Creates a payment instrument from a test card's number or a test token, of a new customer unless one is named. */
  instrument(card?: string, ofCustomer?: string): Promise<{ id: string; customerId: string }>;
  /** Creates a charge and returns `{payment, transactions}`. */
  charge(
    card?: string,
    more?: Record<string, unknown>,
  ): Promise<{ payment: Record<string, unknown>; transactions: Record<string, unknown>[] }>;
}

export interface SeededPartner {
  id: string;
  slug: string;
  partnerKey: string;
  mode: Mode;
  /** A client with the partner key. */
  api: Client;
  account(legalName?: string): Promise<SeededAccount>;
}

let count = 0;

/**
 * A partner with a key of one mode. Partners are created by operators, so this writes to the database; everything below
 * it uses HTTP.
 */
export async function seedPartner(
  platform: TestPlatform,
  mode: Mode = 'test',
  partnerId?: string,
): Promise<SeededPartner> {
  const { prisma, clock } = platform.services;
  const now = clock.now();
  const slug = `partner-${process.pid}-${++count}`;
  const partner =
    partnerId === undefined
      ? await prisma.partner.create({
          data: { id: newId('par_', now), slug, name: slug, createdAt: now, updatedAt: now },
        })
      : await prisma.partner.findUniqueOrThrow({ where: { id: partnerId } });
  const { secret, prefix, secretHash } = newSecret('partner', mode, platform.services.config.cell);
  await prisma.apiKey.create({
    data: {
      id: newId('ak_', now),
      kind: 'partner',
      mode,
      partnerId: partner.id,
      prefix,
      secretHash,
      label: 'seed',
      createdAt: now,
    },
  });
  const api = clientOf(platform, secret);
  return {
    id: partner.id,
    slug: partner.slug,
    partnerKey: secret,
    mode,
    api,
    async account(legalName = `Merchant ${++count}`) {
      const account = await api.ok('/accounts', { legalName });
      // An operator approves accounts; most tests need a live account that may charge. Premium: tests send many calls.
      await prisma.processingAccount.update({ where: { id: account.id }, data: { status: 'active', plan: 'premium' } });
      const key = await api.ok(`/accounts/${account.id}/api-keys`, { label: 'seed' });
      return seededAccount(platform, account.id, account.stores[0].id, key.secret);
    },
  };
}

function seededAccount(platform: TestPlatform, id: string, storeId: string, subKey: string): SeededAccount {
  const api = clientOf(platform, subKey);
  async function instrument(card = 'tok_visa', ofCustomer?: string): Promise<{ id: string; customerId: string }> {
    const token = card.startsWith('tok_')
      ? card
      : (
          await api.ok('/payment-instruments/tokenize', {
            storeId,
            cardNumber: card,
            expMonth: 12,
            expYear: platform.services.clock.now().getUTCFullYear() + 2,
            cvc: /^3[47]/.test(card) ? '1234' : '123',
          })
        ).token;
    const { paymentInstrument } = await api.ok('/payment-instruments/create-from-token', {
      storeId,
      token,
      ...(ofCustomer ? { customerId: ofCustomer } : { customerData: { email: `payer${++count}@example.com` } }),
    });
    return { id: paymentInstrument.id, customerId: paymentInstrument.customerId };
  }
  return {
    id,
    storeId,
    subKey,
    api,
    instrument,
    async charge(card, more = {}) {
      const { id: paymentInstrumentId } = await instrument(card);
      return api.ok('/payments/process', { storeId, paymentInstrumentId, amount: 2500, currency: 'USD', ...more });
    },
  };
}

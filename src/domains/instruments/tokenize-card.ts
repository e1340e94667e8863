import type { TenantContext } from '../../call/context.ts';
import { nothingDoneIfUnavailable } from '../../database/outage-retry.ts';
import type { Store } from '../../generated/prisma/client.ts';
import { Conflict, DomainError, InvalidInput, NotFound } from '../../lib/errors.ts';
import { type Mode, newId } from '../../lib/ids.ts';
import { isOutage, outageName } from '../../lib/outage.ts';
import { type Write, write } from '../../unit-of-work/write.ts';
import { atStore } from '../stores/public.ts';
import { type CheckedCard, checkCard, shownDigits } from './card.ts';
import type { TokenizeCardInput } from './inputs.ts';
import { type NumberOwner, presentNumber } from './number-guard.ts';
import type { CardSummary } from './types.ts';

export interface TokenizedCard {
  token: string;
  card: CardSummary;
  expiresAt: Date;
}

const tokenLifeMs = 30 * 60_000;

/** A session that creates one token: it accepts the token in the transaction that stores it, or rejects it. */
export interface TokenTaker {
  /** The only customer for whom the token can be exchanged. Null for any. */
  customerId: string | null;
  take(change: Write, made: { token: string; cardId: string }): Promise<void>;
}

/** Validates a card, stores it in the vault and returns a token for it. */
export async function tokenizeCard(
  context: TenantContext,
  input: typeof TokenizeCardInput.$inferInput,
  taker?: TokenTaker,
): Promise<TokenizedCard> {
  const { tenant, services } = context;
  const checked = checkCard(input, { mode: tenant.mode, now: services.clock.now() });
  if ('issues' in checked) throw new InvalidInput(checked.issues);
  const expiresAt = new Date(services.clock.now().getTime() + tokenLifeMs);
  return atStore(context, input.storeId, async (store) => {
    const owner = ownerAt(store);
    const { cardNumber } = checked.card.clear;
    const fingerprint = services.vault.fingerprint(cardNumber, owner);
    await presentNumber(context, owner, { ...shownDigits(cardNumber), fingerprint });
    return withStoredCard(context, store, checked.card, expiresAt, ({ cardId, card }) =>
      write(context, 'tokenizeCard', async (change) => {
        const { tx, now } = change;
        const { partnerId, platformAccountId, mode } = store;
        const token = newId('tok_', now);
        await taker?.take(change, { token, cardId });
        await tx.token.create({
          data: {
            id: token,
            partnerId,
            platformAccountId,
            mode,
            customerId: taker?.customerId ?? null,
            cardId,
            card: { ...card },
            expiresAt,
            createdAt: now,
          },
        });
        return { token, card, expiresAt };
      }),
    );
  });
}

/** The account for which a card is presented at a store. */
export function ownerAt({ partnerId, platformAccountId, mode }: Store): NumberOwner {
  return { partnerId, platformAccountId, mode: mode as Mode }; // a CHECK constraint holds the column to the two
}

export interface StoredCard {
  cardId: string;
  card: CardSummary;
}

/**
 * Stores a card in the vault and then writes the row that refers to it. If no row refers to the card in the end, it is
 * deleted from the vault. The vault is called before the database transaction starts: transactions that each hold a
 * connection while they wait for a second one would deadlock the pool.
 */
export async function withStoredCard<Result>(
  context: TenantContext,
  store: Store,
  { clear, face }: CheckedCard,
  cvcExpiresAt: Date,
  refer: (stored: StoredCard) => Promise<Result>,
): Promise<Result> {
  const { vault, outages } = context.services;
  const { cardNumber, expMonth, expYear, cvc } = clear;
  const mode = store.mode as Mode; // a CHECK constraint holds the column to the two
  const { cardId, fingerprint } = await nothingDoneIfUnavailable(() =>
    vault.store({
      cardNumber,
      expMonth,
      expYear,
      cvc,
      cvcExpiresAt,
      platformAccountId: store.platformAccountId,
      mode,
    }),
  );
  let referred = false;
  try {
    const result = await refer({ cardId, card: { ...face, fingerprint } });
    referred = !context.answer.replayed;
    return result;
  } catch (error) {
    // A transaction whose answer was lost may have been committed, so that a row refers to the card. Only a domain
    // error proves that it was rolled back.
    referred = !(error instanceof DomainError);
    throw error;
  } finally {
    if (!referred)
      await vault.remove(cardId).catch((error: unknown) => {
        // The job deletes it later; the result of the call does not depend on it.
        if (!isOutage(error)) throw error;
        outages.note('the removal of a card', outageName(error));
      });
  }
}

export function validToken({ tenant, services }: TenantContext, { platformAccountId }: Store, id: string) {
  // A token has no customer yet, so real time applies to it.
  return { ...tenant, id, platformAccountId, expiresAt: { gt: services.clock.earliestReal() } };
}

/** The card of a token, which is marked used. */
export async function useToken(
  context: TenantContext,
  { tx }: Write,
  store: Store,
  token: string,
): Promise<StoredCard & { customerId: string | null }> {
  const now = context.services.clock.real();
  const where = validToken(context, store, token);
  const [used] = await tx.token.updateManyAndReturn({ where: { ...where, usedAt: null }, data: { usedAt: now } });
  if (used)
    return {
      cardId: used.cardId,
      card: used.card as CardSummary, // written by tokenizeCard only
      customerId: used.customerId,
    };
  if (await tx.token.findFirst({ where }))
    throw new Conflict('invalid_state', 'The token was already used: tokenize the card again.');
  throw new NotFound('Token not found or expired.');
}

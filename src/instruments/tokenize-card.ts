import type { Store } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { DomainError, InvalidInput } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import { write } from '../kit/write.ts';
import { atStore } from '../stores/operations.ts';
import { checkCard, type CheckedCard } from './card.ts';
import type { TokenizeCardInput } from './schema.ts';
import type { CardShown } from './types.ts';

export interface TokenizedCard {
  token: string;
  card: CardShown;
  expiresAt: Date;
}

const tokenLifeMs = 30 * 60_000;

/** Checks a card, keeps it in the vault, and gives a token of 30 minutes for it. */
export async function tokenizeCard(
  context: KeyContext,
  input: typeof TokenizeCardInput.$inferInput,
): Promise<TokenizedCard> {
  const { caller, env } = context;
  const checked = checkCard(input, { mode: caller.mode, now: env.clock.now() });
  if ('issues' in checked) throw new InvalidInput(checked.issues);
  const expiresAt = new Date(env.clock.now().getTime() + tokenLifeMs);
  return atStore(context, 'tokenizeCard', input.storeId, (store) =>
    withCardKept(context, store, checked.card, expiresAt, ({ cardId, card }) =>
      write(context, 'tokenizeCard', async ({ tx, now }) => {
        const { partnerId, platformAccountId, mode } = store;
        const { id } = await tx.token.create({
          data: {
            id: newId('token', now),
            partnerId,
            platformAccountId,
            mode,
            cardId,
            card: { ...card },
            expiresAt,
            createdAt: now,
          },
        });
        return { token: id, card, expiresAt };
      }),
    ),
  );
}

export interface KeptCard {
  cardId: string;
  card: CardShown;
}

/**
 * Puts a card into the vault and then makes what refers to it; a card that nothing came to refer to is taken out again. The
 * vault is asked before the transaction begins: a transaction that waits for a second connection while all the others wait for
 * theirs, too, would bring the pool to a stand.
 */
export async function withCardKept<Result>(
  context: KeyContext,
  store: Store,
  { clear, face }: CheckedCard,
  cvcExpiresAt: Date,
  refer: (kept: KeptCard) => Promise<Result>,
): Promise<Result> {
  const { vault } = context.env;
  const { cardNumber, expMonth, expYear, cvc } = clear;
  const mode = store.mode as Mode; // a CHECK constraint holds the column to the two
  const { cardId, fingerprint } = await vault.store({
    cardNumber,
    expMonth,
    expYear,
    cvc,
    cvcExpiresAt,
    platformAccountId: store.platformAccountId,
    mode,
  });
  let referred = false;
  try {
    const result = await refer({ cardId, card: { ...face, fingerprint } });
    referred = !context.replayed;
    return result;
  } catch (error) {
    // A commit whose answer was lost may have happened all the same; then the card must stay. Only a refusal is certain.
    referred = !(error instanceof DomainError);
    throw error;
  } finally {
    if (!referred) await vault.remove(cardId);
  }
}

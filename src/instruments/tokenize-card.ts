import type { Store } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { InvalidInput } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import { write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
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
export async function tokenizeCard(context: KeyContext, input: typeof TokenizeCardInput.$inferInput): Promise<TokenizedCard> {
  const { caller, env } = context;
  const checked = checkCard(input, { mode: caller.mode, now: env.clock.now() });
  if ('issues' in checked) throw new InvalidInput(checked.issues);
  const store = await storeOf(context, input.storeId);
  return write(context, 'tokenizeCard', async ({ tx, now }) => {
    const expiresAt = new Date(now.getTime() + tokenLifeMs);
    const { cardId, card } = await keepCard(context, store, checked.card, expiresAt);
    const { partnerId, platformAccountId, mode } = store;
    const { id } = await tx.token.create({ data: { id: newId('token', now), partnerId, platformAccountId, mode, cardId, card: { ...card }, expiresAt, createdAt: now } });
    return { token: id, card, expiresAt };
  });
}

/** Puts a card into the vault and says what may be shown of it. */
export async function keepCard(context: KeyContext, store: Store, { clear, face }: CheckedCard, cvcExpiresAt: Date): Promise<{ cardId: string; card: CardShown }> {
  const { cardNumber, expMonth, expYear, cvc } = clear;
  const mode = store.mode as Mode; // a CHECK constraint holds the column to the two
  const { cardId, fingerprint } = await context.env.vault.store({ cardNumber, expMonth, expYear, cvc, cvcExpiresAt, platformAccountId: store.platformAccountId, mode });
  return { cardId, card: { ...face, fingerprint } };
}

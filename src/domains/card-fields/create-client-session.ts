import type { ClientSession } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { type InputIssue, InvalidInput, invalid } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { write } from '../../write/write.ts';
import { noSuchCustomer } from '../customers/public.ts';
import { atStore } from '../stores/public.ts';
import { clientSecretOf, secretHashOf } from './client-secret.ts';
import type { CreateClientSessionInput } from './inputs.ts';
import { checkOrigins } from './origins.ts';

const lifeMs = 30 * 60_000;

/** Creates a client session: what a merchant's page may do with its card fields, for half an hour. */
export function createClientSession(
  context: KeyContext,
  { storeId, customerId = null, amount = null, currency = null, origins }: typeof CreateClientSessionInput.$inferInput,
): Promise<ClientSession> {
  const { caller, services } = context;
  const allowed = checkOrigins(origins, caller.mode);
  if ((amount === null) !== (currency === null)) throw missingOfPair(amount === null ? 'amount' : 'currency');
  return atStore(context, storeId, (store) => {
    if (currency !== null && !store.chargeCurrencies.includes(currency))
      throw invalid('currency', `must be one of the store's charge currencies: ${store.chargeCurrencies.join(', ')}`);
    return write(context, 'createClientSession', async ({ tx }) => {
      const { partnerId, platformAccountId, mode } = store;
      if (customerId !== null) {
        const customer = await tx.customer.findFirst({
          where: { id: customerId, partnerId, platformAccountId, mode },
          select: { storeId: true },
        });
        if (!customer) throw noSuchCustomer();
        if (customer.storeId !== store.id) throw invalid('customerId', 'belongs to another store of the account');
      }
      // Card tokens live in real time, and so does the session that makes one.
      const now = services.clock.real();
      const id = newId('cs_', now);
      return tx.clientSession.create({
        data: {
          id,
          partnerId,
          platformAccountId,
          mode,
          storeId: store.id,
          customerId,
          amount,
          currency,
          origins: allowed,
          secretHash: secretHashOf(clientSecretOf(services.config, id)),
          expiresAt: new Date(now.getTime() + lifeMs),
          createdAt: now,
        },
      });
    });
  });
}

function missingOfPair(path: 'amount' | 'currency'): InvalidInput {
  const issue: InputIssue = { path, message: 'is required: amount and currency are shown together' };
  return new InvalidInput([issue]);
}

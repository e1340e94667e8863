import type { ApiKeyCaller } from '../../auth/caller.ts';
import { accountTenantOf } from '../../auth/tenancy.ts';
import type { Store } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { invalid, NotFound } from '../../kit/errors.ts';
import { assertRoom } from '../../write/assert-room.ts';
import { write } from '../../write/write.ts';
import type { CreateStoreInput } from './inputs.ts';
import { addStore, lockPaymentFlow } from './store-rows.ts';

/** A charge that names no store counts those of its account. */
const storesMax = 1_000;

export function createStore(context: KeyContext, input: typeof CreateStoreInput.$inferInput): Promise<Store> {
  const accountId = accountNamed(context.caller, input.accountId);
  for (const name of ['presentmentCurrencies', 'chargeCurrencies'] as const) {
    if (input[name]?.length === 0) throw invalid(name, 'must name at least one currency');
  }
  return write(context, 'createStore', async (change) => {
    const account = await change.tx.processingAccount.findFirst({
      where: { AND: [accountTenantOf(context.caller), { id: accountId }] },
    });
    if (!account) throw noSuchAccount();
    await assertRoom(change, account.id, {
      what: 'stores',
      max: storesMax,
      count: (where) => change.tx.store.count({ where }),
    });
    await lockPaymentFlow(change, account.id, input.paymentFlowId);
    return addStore(change, account, input);
  });
}

function accountNamed(caller: ApiKeyCaller, accountId: string | null | undefined): string {
  if (caller.kind === 'partnerKey') {
    if (accountId == null) throw invalid('accountId', 'is required with a partner key');
    return accountId;
  }
  if (accountId != null && accountId !== caller.platformAccountId) throw noSuchAccount();
  return caller.platformAccountId;
}

function noSuchAccount(): NotFound {
  return new NotFound('There is no such account.');
}

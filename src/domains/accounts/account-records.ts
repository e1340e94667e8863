import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import type { Mode } from '../../kit/mode.ts';
import type { EventDraft } from '../../write/records.ts';
import type { Write } from '../../write/write.ts';
import { accountObject } from './account-object.ts';
import { type AccountRow, oldestFirst } from './account-rows.ts';

/** Adds the event of an account, with the account and its stores as the API answers them. */
export async function recordAccountEvent(
  { tx, event }: Pick<Write, 'tx' | 'event'>,
  type: 'account/created' | 'account/updated',
  account: AccountRow,
): Promise<void> {
  const stores =
    account.stores ?? (await tx.store.findMany({ where: { platformAccountId: account.id }, ...oldestFirst }));
  event(eventOf(type, account, accountObject(account, stores)));
}

/** The event of a change of KYB, with the KYB as the API answers it. The submitted values are not part of it. */
export function kybEvent(account: ProcessingAccount, object: object): EventDraft {
  return eventOf('account/kybUpdated', account, object);
}

function eventOf(
  type: EventDraft['type'],
  { id, partnerId, mode, sequence }: ProcessingAccount,
  object: object,
): EventDraft {
  // a CHECK constraint limits mode to the two values
  return { type, partnerId, platformAccountId: id, mode: mode as Mode, storeId: null, objectId: id, sequence, object };
}

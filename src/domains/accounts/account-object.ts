import type { ProcessingAccount, Store } from '../../generated/prisma/client.ts';

/** An account without its stores, as audit rows contain it. */
export interface AccountFields {
  id: string;
  accountId: string;
  partnerId: string;
  legalName: string;
  country: string | null;
  currency: string;
  externalRef: string | null;
  status: string;
  kybStatus: string;
  plan: string;
  livemode: boolean;
  metadata: unknown;
  createdAt: Date;
  updatedAt: Date;
}

/** An account as the API answers it (rest/public/accounts/account.graphql). */
export interface AccountObject extends AccountFields {
  stores: AccountStore[];
}

/** A store in the answer of its account. */
interface AccountStore {
  id: string;
  name: string;
  type: string;
  baseCurrency: string;
}

/** `stores` are those of the account, oldest first. */
export function accountObject(account: ProcessingAccount, stores: readonly Store[]): AccountObject {
  return {
    ...accountFields(account),
    stores: stores.map(({ id, name, type, baseCurrency }) => ({ id, name, type, baseCurrency })),
  };
}

export function accountFields(account: ProcessingAccount): AccountFields {
  return {
    id: account.id,
    accountId: account.accountId,
    partnerId: account.partnerId,
    legalName: account.legalName,
    country: account.country,
    currency: account.currency,
    externalRef: account.externalRef,
    status: account.status,
    kybStatus: account.kybStatus,
    plan: account.plan,
    livemode: account.mode === 'live',
    metadata: account.metadata,
    createdAt: account.createdAt,
    updatedAt: account.updatedAt,
  };
}

import type { KeyContext } from '../graph/context.ts';
import type { Mode } from '../kit/mode.ts';

export interface AuthTestResult {
  mode: Mode;
  keyKind: 'partner' | 'sub';
  keyId: string;
  keyPrefix: string;
  partnerId: string;
  platformAccountId: string | null;
  storeIds: string[] | null;
}

const storesOfAccount = 'SELECT id FROM stores WHERE "platformAccountId" = $1 ORDER BY "createdAt", id LIMIT 100';

/** What the key is: everything but the stores is known from the check of the key itself. */
export async function readAuthTest({ caller, env }: KeyContext): Promise<AuthTestResult> {
  const { mode, keyId, keyPrefix, partnerId } = caller;
  if (caller.kind === 'partnerKey')
    return { mode, keyKind: 'partner', keyId, keyPrefix, partnerId, platformAccountId: null, storeIds: null };
  const { platformAccountId } = caller;
  const { rows } = await env.pool.query<{ id: string }>({
    name: 'stores-of-account',
    text: storesOfAccount,
    values: [platformAccountId],
  });
  return { mode, keyKind: 'sub', keyId, keyPrefix, partnerId, platformAccountId, storeIds: rows.map(({ id }) => id) };
}

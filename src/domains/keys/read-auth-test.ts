import { type Environment, environmentOf } from '../../auth/sandbox.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { Mode } from '../../kit/mode.ts';
import { readStoreIds } from './store-ids.ts';

export interface AuthTestResult {
  environment: Environment;
  mode: Mode;
  keyKind: 'partner' | 'sub';
  keyId: string;
  keyPrefix: string;
  partnerId: string;
  platformAccountId: string | null;
  storeIds: string[] | null;
}

/** Describes the key of the request. Only the stores need a query; the rest is known from its authentication. */
export async function readAuthTest({ caller, services }: KeyContext): Promise<AuthTestResult> {
  const { mode, keyId, keyPrefix, partnerId } = caller;
  const environment = environmentOf(services.config);
  const shared = { environment, mode, keyId, keyPrefix, partnerId };
  if (caller.kind === 'partnerKey') return { ...shared, keyKind: 'partner', platformAccountId: null, storeIds: null };
  const { platformAccountId } = caller;
  const storeIds = await readStoreIds(services.pool, platformAccountId);
  return { ...shared, keyKind: 'sub', platformAccountId, storeIds };
}

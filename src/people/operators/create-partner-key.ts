import {
  assertLimitsConsistent,
  type IssuedPartnerKey,
  insertPartnerKey,
  type PartnerKeyFacts,
} from '../../domains/keys/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { Write } from '../../write/write.ts';
import { assertAllowed, callersPartner, canManagePartnerStaff, runAuditedChange } from '../iam/public.ts';

/** Creates a partner key. The secret is in this answer only. Managing the roster includes managing the keys. */
export function createPartnerKey(
  context: SessionContext,
  partnerSlug: string,
  input: PartnerKeyFacts,
): Promise<IssuedPartnerKey> {
  const attempt = { action: 'createPartnerKey', target: partnerSlug };
  const create = async (change: Write): Promise<IssuedPartnerKey> => {
    assertLimitsConsistent(input, change.now);
    assertAllowed(canManagePartnerStaff(context.caller, partnerSlug, await callersPartner(change.tx, context)));
    return insertPartnerKey(change, context.services.config, partnerSlug, input);
  };
  return runAuditedChange(context, attempt, create, { forReplay: withoutSecret });
}

/** A key as a repeat of its call returns it. */
export function withoutSecret(key: IssuedPartnerKey): object {
  return { ...key, secret: null };
}

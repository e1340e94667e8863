import { assertAllowed } from '../../../auth/decisions.ts';
import type { SessionContext } from '../../../call/context.ts';
import {
  assertLimitsConsistent,
  type IssuedPartnerKey,
  insertPartnerKey,
  type KeyRow,
  markRevoked,
  type PartnerKeyFacts,
} from '../../../domains/keys/public.ts';
import { NotFound } from '../../../lib/errors.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import { callersPartner, canManagePartnerStaff, runAuditedChange } from '../../iam/public.ts';

/**
 * Creates a partner key. Only this answer contains the secret. The permission to manage the roster includes the keys.
 */
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

/** Revokes a partner key permanently. A repeat returns the same record. 404 for a sub-key or another partner's key. */
export function revokePartnerKey(context: SessionContext, keyId: string): Promise<KeyRow> {
  const action = 'revokePartnerKey';
  return runAuditedChange(context, { action, target: keyId }, async ({ tx, now, audit }) => {
    const found = await tx.apiKey.findFirst({
      where: { id: keyId, kind: 'partner' },
      select: { mode: true, partnerId: true, partner: { select: { slug: true } } },
    });
    const own = await callersPartner(tx, context);
    const decision = canManagePartnerStaff(context.caller, found?.partner.slug ?? '', own);
    // A partneradmin must not learn whether another partner has such a key, so the error is 404 and not 403.
    if (!decision.ok && decision.reason !== 'other_partner') assertAllowed(decision);
    if (!found || !decision.ok) throw new NotFound('There is no such partner key.');
    const previousStatus = (await markRevoked({ tx, now }, { id: keyId })) ? 'active' : 'revoked';
    const [before, after] = [{ status: previousStatus }, { status: 'revoked' }];
    audit({ action, target: keyId, partnerId: found.partnerId, before, after, mode: found.mode });
    return tx.apiKey.findUniqueOrThrow({ where: { id: keyId }, omit: { secretHash: true } });
  });
}

import { assertAllowed, conflict } from '../../auth/decisions.ts';
import { assertModeServed } from '../../auth/modes.ts';
import type { SessionContext } from '../../call/context.ts';
import {
  assertLimitsConsistent,
  type IssuedPartnerKey,
  insertPartnerKey,
  type KeyRow,
  markRevoked,
  type PartnerKeyFacts,
} from '../../domains/keys/public.ts';
import type { Partner } from '../../generated/prisma/client.ts';
import {
  type AuditedWrite,
  callersPartner,
  canManagePartnerKeys,
  gotAccessFromOutside,
  lockPartnerForShare,
  runAuditedChange,
} from '../../iam/public.ts';
import { invalid, NotFound } from '../../lib/errors.ts';
import type { Write } from '../../unit-of-work/write.ts';
import { type KeyRequestRow, requestKey, withoutSecret } from './key-requests.ts';
import { tellOfKey } from './tell-of-key.ts';

/**
 * Creates a partner key; only this answer contains the secret. What a person of the platform asks for, and an admin who
 * got access from one in the last 24 hours, becomes a request that a second person must approve.
 */
export function createPartnerKey(
  context: SessionContext,
  { partnerSlug, input, reason }: { partnerSlug: string; input: PartnerKeyFacts; reason?: string | null | undefined },
): Promise<IssuedPartnerKey | KeyRequestRow> {
  const { caller, services } = context;
  const create = async (change: AuditedWrite): Promise<IssuedPartnerKey | KeyRequestRow> => {
    assertLimitsConsistent(input, change.now);
    assertModeServed(services.config, input.mode);
    assertAllowed(canManagePartnerKeys(caller, partnerSlug, await callersPartner(change.tx, context)));
    const partner = await lockPartnerForShare(change.tx, { slug: partnerSlug });
    if (!partner) throw new NotFound('Partner not found (partner_not_found).');
    if (partner.status === 'offboarded') throw conflict('partner_offboarded');
    if (await needsSecondPerson(change, context, partner)) {
      if (reason == null) throw invalid('reason', 'is required: a second person decides about the key');
      return requestKey(change, context, partner, input, reason);
    }
    const key = await insertPartnerKey(change, services.config, partnerSlug, { ...input, reason });
    change.afterCommit(() => tellOfKey(services, partner, key));
    return key;
  };
  const attempt = { action: 'createPartnerKey', target: partnerSlug, reason };
  return runAuditedChange(context, attempt, create, { forReplay: withoutSecret });
}

/** Whether a second person must approve the key. The first key of a partner protects nothing yet. */
async function needsSecondPerson(
  { tx }: Pick<Write, 'tx'>,
  { caller, services }: SessionContext,
  { id, slug }: Partner,
): Promise<boolean> {
  if (caller.whitelabelOwnership === null) return true;
  const hasKey =
    (await tx.apiKey.findFirst({ where: { partnerId: id, kind: 'partner' }, select: { id: true } })) !== null;
  return hasKey && (await gotAccessFromOutside(services, caller, slug));
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
    const decision = canManagePartnerKeys(context.caller, found?.partner.slug ?? '', own);
    // A partneradmin must not learn whether another partner has such a key, so the error is 404 and not 403.
    if (!decision.ok && decision.reason !== 'other_partner') assertAllowed(decision);
    if (!found || !decision.ok) throw new NotFound('Partner key not found.');
    const previousStatus = (await markRevoked({ tx, now }, { id: keyId })) ? 'active' : 'revoked';
    const [before, after] = [{ status: previousStatus }, { status: 'revoked' }];
    audit({ action, target: keyId, partnerId: found.partnerId, before, after, mode: found.mode });
    return tx.apiKey.findUniqueOrThrow({ where: { id: keyId }, omit: { secretHash: true } });
  });
}

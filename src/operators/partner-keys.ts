import type { SessionContext } from '../graph/context.ts';
import { act, assertAllowed, callersPartner, canManagePartnerStaff } from '../iam/operations.ts';
import {
  assertLimitsMakeSense,
  insertPartnerKey,
  type IssuedPartnerKey,
  type KeyRow,
  type PartnerKeyFacts,
} from '../keys/operations.ts';
import { NotFound } from '../kit/errors.ts';

/** Makes a key of a partner. The secret is in the answer and nowhere else; who runs the roster runs the keys. */
export function createPartnerKey(
  context: SessionContext,
  partnerSlug: string,
  input: PartnerKeyFacts,
): Promise<IssuedPartnerKey> {
  const action = 'createPartnerKey';
  return act(context, { action, target: partnerSlug }, async (change) => {
    assertLimitsMakeSense(input, change.now);
    assertAllowed(canManagePartnerStaff(context.caller, partnerSlug, await callersPartner(change.tx, context)));
    return insertPartnerKey(change, partnerSlug, input);
  });
}

/** Revokes a partner key for good. Again: the same record. A key of another partner, or a sub-key, is 404. */
export function revokePartnerKey(context: SessionContext, keyId: string): Promise<KeyRow> {
  const action = 'revokePartnerKey';
  return act(context, { action, target: keyId }, async ({ tx, now, audit }) => {
    const found = await tx.apiKey.findFirst({
      where: { id: keyId, kind: 'partner' },
      select: { partner: { select: { slug: true } } },
    });
    // Whether another partner has such a key is nobody's business: its own partneradmin is the caller's only alternative to hub.
    const gate = canManagePartnerStaff(context.caller, found?.partner.slug ?? '', await callersPartner(tx, context));
    if (!gate.ok && gate.reason !== 'other_partner') assertAllowed(gate);
    if (!found || !gate.ok) throw new NotFound('There is no such partner key.');
    const { count } = await tx.apiKey.updateMany({
      where: { id: keyId, status: 'active' },
      data: { status: 'revoked', revokedAt: now },
    });
    if (count === 1) audit({ action, target: keyId, before: { status: 'active' }, after: { status: 'revoked' } });
    else audit({ action, target: keyId, before: { status: 'revoked' }, after: { status: 'revoked' } });
    return tx.apiKey.findUniqueOrThrow({ where: { id: keyId }, omit: { secretHash: true } });
  });
}

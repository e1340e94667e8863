import { isPartnerBlocked } from '../../auth/charging-status.ts';
import { assertAllowed, conflict } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import { resumeDeferredCharges } from '../../domains/subscriptions/public.ts';
import type { Partner, Prisma } from '../../generated/prisma/client.ts';
import { type InputIssue, InvalidInput } from '../../lib/errors.ts';
import type { Write } from '../../unit-of-work/write.ts';
import { runAuditedChange, runChangeAtProvider } from '../audited-change.ts';
import { canUpdatePartner } from '../policy.ts';
import { assertBranding } from '../staff/pending-invitation.ts';
import type { UpdatePartnerInput } from './inputs.ts';
import { storeLogo, takeLogo } from './partner-logo.ts';
import {
  assertFits,
  assertOneName,
  auditArchive,
  changePartner,
  lockPartner,
  partnerObject,
  revokePendingInvitations,
} from './partner-rows.ts';

/** JSON merge patch (RFC 7396): a given key is replaced, objects are merged, and null removes a key. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const patchFields = ['name', 'status', 'branding', 'preferences', 'commercialTerms'] as const;
const freeFormFields = ['branding', 'preferences', 'commercialTerms'] as const;

type Patch = typeof UpdatePartnerInput.$inferInput;

/** Changes the given fields; the three free-form objects by merge patch. `status: offboarded` archives the partner. */
export function updatePartner(context: SessionContext, input: Patch): Promise<Partner> {
  assertOneName(input);
  assertPatch(input);
  assertBranding(input.branding);
  const action = 'updatePartner';
  // Invitations of an archived partner are revoked at the identity provider.
  const run = input.status === 'offboarded' ? runChangeAtProvider : runAuditedChange;
  return run(context, { action, target: input.id ?? input.slug ?? null }, async (change: Write) => {
    assertAllowed(canUpdatePartner(context.caller, input));
    const before = await lockPartner(change, input);
    if (before.status === 'offboarded' && input.status != null && input.status !== 'offboarded')
      throw conflict('partner_offboarded');
    if (input.status === 'offboarded') await revokePendingInvitations(change, context, before);
    const free = mergedFreeForm(before, input);
    if (free.branding !== undefined) {
      const { branding, logo } = takeLogo(free.branding, before.branding);
      free.branding = branding;
      await storeLogo(change, before.id, logo);
    }
    assertFits(free);
    const data = {
      ...(input.name != null && { name: input.name }),
      ...(input.status != null && { status: input.status }),
      ...free,
    };
    const partner = await changePartner(change, before.id, data);
    if (isPartnerBlocked(before.status) && !isPartnerBlocked(partner.status))
      await resumeDeferredCharges(change.tx, { partnerId: partner.id });
    change.audit({
      action,
      target: partner.id,
      partnerId: partner.id,
      before: partnerObject(before),
      after: partnerObject(partner),
    });
    if (input.status === 'offboarded') auditArchive(change, before);
    return partner;
  });
}

function assertPatch(input: Patch): void {
  const issues: InputIssue[] = [];
  if (patchFields.every((name) => input[name] === undefined))
    issues.push({
      path: '',
      message: `the patch is empty: at least one of these is required: ${patchFields.join(', ')}`,
    });
  if (issues.length > 0) throw new InvalidInput(issues);
}

type FreeForm = Partial<Record<(typeof freeFormFields)[number], Prisma.InputJsonObject>>;

/** The free-form objects in the patch, merged with the stored ones. */
function mergedFreeForm(before: Partner, input: Patch): FreeForm {
  const free: FreeForm = {};
  for (const name of freeFormFields) {
    if (input[name] !== undefined) free[name] = mergePatch(before[name], input[name]) ?? {};
  }
  return free;
}

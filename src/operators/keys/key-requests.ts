import { assertAllowed } from '../../auth/decisions.ts';
import { type PeopleVisibility, tenantWhere } from '../../auth/tenancy.ts';
import { objectVisibilityOf } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { lockRow } from '../../database/lock-row.ts';
import { sql } from '../../database/sql.ts';
import { type IssuedPartnerKey, insertPartnerKey, type PartnerKeyFacts } from '../../domains/keys/public.ts';
import type { Partner, PartnerKeyRequest } from '../../generated/prisma/client.ts';
import {
  type AuditedWrite,
  assertIndependent,
  assertMay,
  callersPartner,
  canManagePartnerKeys,
  type Refusal,
  refusalToDecide,
  refusalToWithdraw,
  runAuditedChange,
} from '../../iam/public.ts';
import { Conflict, NotFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import type { Write } from '../../unit-of-work/write.ts';
import { tellOfKey } from './tell-of-key.ts';

export type KeyRequestRow = PartnerKeyRequest;

export const keyRequestStatuses = ['pending', 'approved', 'rejected', 'withdrawn', 'issued', 'expired'] as const;

/** How long a request can be decided, and after its approval how long the key can be made. Longer than a weekend. */
const validMs = 72 * 3_600_000;

/** What waits for a person ends by itself: its row stays as it is. */
export function statusOf({ status, expiresAt }: Pick<KeyRequestRow, 'status' | 'expiresAt'>, now: Date): string {
  return ['pending', 'approved'].includes(status) && expiresAt <= now ? 'expired' : status;
}

/** Stores what a person asked for. Nothing is made. */
export async function requestKey(
  { tx, now, audit }: Pick<Write, 'tx' | 'now' | 'audit'>,
  { caller }: SessionContext,
  partner: Partner,
  { mode, label, expiresAt = null, allowedIps }: PartnerKeyFacts,
  reason: string,
): Promise<KeyRequestRow> {
  const request = await tx.partnerKeyRequest.create({
    data: {
      id: newId('kreq_', now),
      partnerId: partner.id,
      mode,
      label,
      keyExpiresAt: expiresAt,
      allowedIps: allowedIps ?? [],
      reason,
      requestedBy: caller.userId,
      requestedByEmail: caller.email,
      expiresAt: new Date(now.getTime() + validMs),
      createdAt: now,
      updatedAt: now,
    },
  });
  const after = { requestId: request.id, label, expiresAt, allowedIps: request.allowedIps, reason };
  audit({ action: 'createPartnerKey', target: partner.slug, partnerId: partner.id, after, mode });
  return request;
}

interface Requested {
  requestId: string;
  reason: string;
}

/** Approves what another person asked for. That person then makes the key, and sees its secret. */
export function approveKeyRequest(context: SessionContext, requested: Requested): Promise<KeyRequestRow> {
  return decide(context, requested, 'approvePartnerKeyRequest', 'approved');
}

export function rejectKeyRequest(context: SessionContext, requested: Requested): Promise<KeyRequestRow> {
  return decide(context, requested, 'rejectPartnerKeyRequest', 'rejected');
}

export function withdrawKeyRequest(context: SessionContext, requested: Requested): Promise<KeyRequestRow> {
  return decide(context, requested, 'withdrawPartnerKeyRequest', 'withdrawn');
}

function decide(
  context: SessionContext,
  { requestId, reason }: Requested,
  action: string,
  status: 'approved' | 'rejected' | 'withdrawn',
): Promise<KeyRequestRow> {
  const { caller, services } = context;
  return runAuditedChange(context, { action, target: requestId, reason }, async (change) => {
    const { tx, now, earliest, audit } = change;
    const request = await lockRequest(change, context, requestId);
    const requester = { userId: request.requestedBy, email: request.requestedByEmail };
    const refusal: Refusal =
      status === 'withdrawn' ? refusalToWithdraw(caller, requester) : refusalToDecide(caller, requester);
    assertMay(refusal);
    if (status === 'approved') await assertIndependent(services, caller, requester);
    assertIs(request, 'pending', earliest);
    const decided = await tx.partnerKeyRequest.update({
      where: { id: requestId },
      data: {
        status,
        decidedBy: caller.userId,
        decidedByEmail: caller.email,
        decisionReason: reason,
        decidedAt: now,
        updatedAt: now,
        ...(status === 'approved' && { expiresAt: new Date(now.getTime() + validMs) }),
      },
    });
    const { partnerId, mode, label } = request;
    audit({
      action,
      target: requestId,
      partnerId,
      before: { status: 'pending' },
      after: { status, label, reason },
      mode,
    });
    return decided;
  });
}

/** Makes the key that was approved. Only this answer has its secret, and only the person who asked gets it. */
export function issuePartnerKey(context: SessionContext, requestId: string): Promise<IssuedPartnerKey> {
  const { caller, services } = context;
  const action = 'issuePartnerKey';
  const issue = async (change: AuditedWrite): Promise<IssuedPartnerKey> => {
    const { tx, now, earliest } = change;
    const request = await lockRequest(change, context, requestId);
    assertMay(refusalToWithdraw(caller, { userId: request.requestedBy, email: request.requestedByEmail }));
    assertIs(request, 'approved', earliest);
    const { partner, label, keyExpiresAt, allowedIps, mode, reason } = request;
    assertAllowed(canManagePartnerKeys(caller, partner.slug, await callersPartner(tx, context)));
    const facts = { label, mode: mode as PartnerKeyFacts['mode'], expiresAt: keyExpiresAt, allowedIps, reason };
    const key = await insertPartnerKey(change, services.config, partner.slug, facts);
    await tx.partnerKeyRequest.update({
      where: { id: requestId },
      data: { status: 'issued', keyId: key.id, updatedAt: now },
    });
    change.afterCommit(() => tellOfKey(services, partner, key));
    return key;
  };
  return runAuditedChange<IssuedPartnerKey>(context, { action, target: requestId }, issue, {
    forReplay: withoutSecret,
  });
}

/** A key as a repeat of its call returns it. What waits has no secret. */
export function withoutSecret(made: IssuedPartnerKey | KeyRequestRow): object {
  return 'secret' in made ? { ...made, secret: null } : made;
}

async function lockRequest({ tx }: Pick<Write, 'tx'>, context: SessionContext, id: string) {
  const visible = tenantWhere(await objectVisibilityOf(context));
  await lockRow(tx, 'partner_key_requests', id);
  const request = await tx.partnerKeyRequest.findFirst({ where: { ...visible, id }, include: { partner: true } });
  if (!request) throw new NotFound('Partner key request not found.');
  return request;
}

function assertIs(request: KeyRequestRow, status: 'pending' | 'approved', now: Date): void {
  const present = statusOf(request, now);
  if (present !== status)
    throw new Conflict('invalid_state', `The request is ${present}, and not ${status} (invalid_state).`);
}

interface Filters {
  status?: readonly string[] | null | undefined;
}

/** The partner keys that people asked for, newest first. */
export function listKeyRequestsWithin(
  { services }: SessionContext,
  visibility: PeopleVisibility,
  args: ListArguments<Filters>,
): Promise<Page<KeyRequestRow>> {
  const now = services.clock.earliest();
  const list: ListDefinition<Filters> = {
    table: 'partner_key_requests',
    sorts: { createdAt: 'createdAt' },
    filters: {
      status: (values) => sql`
        CASE WHEN t.status IN ('pending', 'approved') AND t."expiresAt" <= ${now} THEN 'expired' ELSE t.status END
          = ANY(${[...values]}::text[])`,
    },
  };
  return readList(services.pool, visibility, list, args);
}

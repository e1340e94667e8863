import { visible } from '../../../auth/visible.ts';
import type { ViewerContext } from '../../../call/context.ts';
import { sql } from '../../../database/sql.ts';
import type { KybRequirement, Prisma, ProcessingAccount } from '../../../generated/prisma/client.ts';
import { decryptSecret, encryptSecret } from '../../../keys/envelope.ts';
import { parseKeyRing } from '../../../keys/key-ring.ts';
import type { SecretColumn } from '../../../keys/rewrap.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import { type KybStatus, kybEvent, setAccount } from '../account-rows.ts';
import {
  categoryOf,
  type KybCategory,
  type KybCode,
  type KybValue,
  kybCodes,
  kybRequirements,
  type RequirementStatus,
} from './lifecycle.ts';

/** A requirement without the submitted value, which only reviewers may read. */
interface RequirementObject {
  code: KybCode;
  category: KybCategory;
  description: string;
  required: boolean;
  status: RequirementStatus;
  rejectionReason: string | null;
  submittedAt: Date | null;
  reviewedAt: Date | null;
}

/** The KYB of an account in events, and as the stored answer of a submission. It never has the submitted values. */
export interface KybObject {
  platformAccountId: string;
  kybStatus: KybStatus;
  requirements: RequirementObject[];
}

export function kybObject(
  account: Pick<ProcessingAccount, 'id' | 'kybStatus'>,
  rows: readonly KybRequirement[],
): KybObject {
  return {
    platformAccountId: account.id,
    kybStatus: account.kybStatus as KybStatus,
    requirements: inOrder(rows).map(requirementObject),
  }; // a CHECK constraint limits the column to the states
}

/** Sorts requirements into their public order. */
export function inOrder(rows: readonly KybRequirement[]): KybRequirement[] {
  // a CHECK constraint limits the column to the codes
  const place = ({ code }: KybRequirement): number => kybCodes.indexOf(code as KybCode);
  return [...rows].sort((a, b) => place(a) - place(b));
}

function requirementObject({
  code: given,
  status,
  rejectionReason,
  submittedAt,
  reviewedAt,
}: KybRequirement): RequirementObject {
  const code = given as KybCode; // as above
  return {
    code,
    category: categoryOf(code),
    description: kybRequirements[code].description,
    required: kybRequirements[code].required,
    status: status as RequirementStatus,
    rejectionReason,
    submittedAt,
    reviewedAt,
  }; // a CHECK constraint limits the column to the states
}

/** Requirements in the form that the functions of `lifecycle.ts` accept. */
export function statesOf<Row extends Pick<KybRequirement, 'code' | 'status'>>(
  rows: readonly Row[],
): (Row & { required: boolean; status: RequirementStatus })[] {
  return rows.map((row) => ({
    ...row,
    required: kybRequirements[row.code as KybCode].required,
    status: row.status as RequirementStatus,
  })); // CHECK constraints, as above
}

/** Stores the KYB status of an account and emits its event. The requirements were changed before. */
export async function moveKyb(
  { tx, now, event }: Write,
  account: ProcessingAccount,
  kybStatus: KybStatus,
): Promise<{ account: ProcessingAccount; rows: KybRequirement[] }> {
  const data = {
    kybStatus,
    kybSubmittedAt: kybStatus === 'submitted' ? (account.kybSubmittedAt ?? now) : null,
  };
  const after = await setAccount({ tx, now }, account.id, data);
  const rows = await tx.kybRequirement.findMany({ where: { platformAccountId: account.id } });
  event(kybEvent(after, kybObject(after, rows)));
  return { account: after, rows };
}

/** Changes requirements: what a merchant submitted, or a decision about it. */
export async function setRequirements(
  { tx }: Pick<Write, 'tx'>,
  where: Prisma.KybRequirementWhereInput,
  data: Prisma.KybRequirementUpdateManyMutationInput,
): Promise<void> {
  await tx.kybRequirement.updateMany({ where, data });
}

type Keys = Pick<Services['config'], 'vaultKeys'>;

/** Encrypts a submitted value. It can be decrypted only with the id of its row. */
export function sealValue({ vaultKeys }: Keys, requirementId: string, value: KybValue): string {
  return encryptSecret(parseKeyRing(vaultKeys), JSON.stringify(value), valueContext(requirementId));
}

/** Decrypts a submitted value. Null if nothing was submitted. */
export function openValue({ vaultKeys }: Keys, { id, value }: Pick<KybRequirement, 'id' | 'value'>): KybValue | null {
  if (value === null) return null;
  // written by sealValue, and authenticated by the cipher
  return JSON.parse(decryptSecret(parseKeyRing(vaultKeys), value, valueContext(id))) as KybValue;
}

/** Adds the requirements of a new account. All of them are missing at first. */
export async function addRequirements(
  { tx, now }: Write,
  { id: platformAccountId, partnerId, mode }: ProcessingAccount,
): Promise<void> {
  await tx.kybRequirement.createMany({
    data: kybCodes.map((code) => ({ id: newId('kyb_', now), partnerId, platformAccountId, mode, code })),
  });
}

export const kybValues: SecretColumn = { table: sql`kyb_requirements`, column: sql`value`, context: valueContext };

function valueContext(requirementId: string): string {
  return `kyb:${requirementId}`;
}

/** The KYB of an account as the API shows it. */
export interface KybView extends KybObject {
  /** The account, if the operation has read it. */
  account?: ProcessingAccount;
  /** The submitted values, if a reviewer revealed them. */
  values?: ReadonlyMap<string, KybValue>;
}

/** Reads the KYB of an account that is visible to the caller, without the submitted values. */
export async function readKyb(context: ViewerContext, accountId: string): Promise<KybView> {
  return withRequirements(context.services, await visible(context, 'processingAccount', accountId));
}

export async function withRequirements(
  { prisma }: Pick<Services, 'prisma'>,
  account: ProcessingAccount,
): Promise<KybView> {
  const rows = await prisma.kybRequirement.findMany({ where: { platformAccountId: account.id } });
  return { ...kybObject(account, rows), account };
}

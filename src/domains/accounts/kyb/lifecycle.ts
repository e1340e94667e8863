import type { KybStatus } from '../account-rows.ts';

/** The states of one requirement (docs/contract/18-kyb.md). */
export const requirementStatuses = ['missing', 'submitted', 'approved', 'rejected'] as const;
export type RequirementStatus = (typeof requirementStatuses)[number];

/** The decisions of a reviewer. */
const reviewDecisions = ['approved', 'rejected'] as const;
export type ReviewDecision = (typeof reviewDecisions)[number];

/**
 * The KYB statuses that may follow each status. Nothing can be submitted while a reviewer reads a submission
 * (`submitted`); `approved` is final.
 */
export const kybTransitions: Readonly<Record<KybStatus, readonly KybStatus[]>> = {
  not_started: ['in_progress', 'submitted'],
  in_progress: ['in_progress', 'submitted'],
  submitted: ['approved', 'rejected'],
  rejected: ['rejected', 'submitted'],
  approved: [],
};

const requirementTransitions: Readonly<Record<RequirementStatus, readonly RequirementStatus[]>> = {
  missing: ['submitted'],
  submitted: ['submitted', 'approved', 'rejected'],
  rejected: ['submitted', 'approved'],
  approved: ['rejected'],
};

export interface RequirementState {
  required: boolean;
  status: RequirementStatus;
}

/** Whether a value may be submitted for a requirement: a first one, or a new one until it is approved. */
export function maySubmit(kybStatus: KybStatus, requirement: RequirementStatus): boolean {
  return (
    kybTransitions[kybStatus].includes('submitted') &&
    requirement !== 'approved' &&
    requirementTransitions[requirement].includes('submitted')
  );
}

/** The KYB status after a submission: `submitted` once no required requirement is missing or rejected. */
export function statusAfterSubmission(kybStatus: KybStatus, requirements: readonly RequirementState[]): KybStatus {
  const complete = requirements.every(
    ({ required, status }) => !required || status === 'submitted' || status === 'approved',
  );
  if (complete) return 'submitted';
  return kybStatus === 'rejected' ? 'rejected' : 'in_progress';
}

/**
 * Whether a reviewer may decide on one requirement. A decision can be corrected until the KYB as a whole is decided.
 */
export function mayReview(kybStatus: KybStatus, requirement: RequirementStatus, decision: ReviewDecision): boolean {
  return (
    kybStatus === 'submitted' && (requirement === decision || requirementTransitions[requirement].includes(decision))
  );
}

/** Why the KYB as a whole cannot be approved, or null. */
export function refusalOfApproval(
  kybStatus: KybStatus,
  requirements: readonly RequirementState[],
): 'not_submitted' | 'requirement_rejected' | null {
  if (!kybTransitions[kybStatus].includes('approved')) return 'not_submitted';
  return requirements.some(({ status }) => status === 'rejected') ? 'requirement_rejected' : null;
}

/**
 * The requirements that are rejected with the whole KYB: those that a reviewer rejected individually, or all submitted
 * ones if there are none.
 */
export function rejectedRequirements<Requirement extends RequirementState>(
  requirements: readonly Requirement[],
): Requirement[] {
  const rejected = requirements.filter(({ status }) => status === 'rejected');
  return rejected.length > 0 ? rejected : requirements.filter(({ status }) => status !== 'missing');
}

/** The requirements of a business, in their public order (docs/contract/18-kyb.md). */
export const kybCodes = [
  'business.legal_name',
  'business.registration_number',
  'business.tax_id',
  'business.address',
  'business.website',
  'business.mcc',
  'representative.identity',
  'representative.address',
  'banking.account',
  'documents.registration_extract',
] as const;

export type KybCode = (typeof kybCodes)[number];

/** Every code is required today. The API returns `required` so that clients need not assume it. */
interface KybRequirementFacts {
  description: string;
  required: boolean;
}

export const kybRequirements: Readonly<Record<KybCode, KybRequirementFacts>> = {
  'business.legal_name': { required: true, description: 'The legal name of the business as it is registered.' },
  'business.registration_number': {
    required: true,
    description: 'The number of the business in the commercial register, or the equivalent in its country.',
  },
  'business.tax_id': { required: true, description: 'The tax number of the business, such as an EIN or a VAT number.' },
  'business.address': {
    required: true,
    description:
      'The registered address of the business: `{line1, line2, city, state, postalCode, country}`, or one string.',
  },
  'business.website': { required: true, description: 'The URL of the website of the business.' },
  'business.mcc': { required: true, description: 'The merchant category code (MCC) of the business: four digits.' },
  'representative.identity': {
    required: true,
    description:
      'The representative of the business: `{firstName, lastName, dateOfBirth, nationality, idNumber}`, or one string.',
  },
  'representative.address': {
    required: true,
    description:
      'The address of the representative: `{line1, line2, city, state, postalCode, country}`, or one string.',
  },
  'banking.account': {
    required: true,
    description:
      'The bank account for payouts: `{iban}`, or `{routingNumber, accountNumber}`, with `accountHolder`; or one ' +
      'string.',
  },
  'documents.registration_extract': {
    required: true,
    description:
      'An extract of the commercial register, at most three months old: a link from which a reviewer can fetch it, ' +
      'or its text.',
  },
};

type CategoryOf<Code> = Code extends `${infer Category}.${string}` ? Category : never;
export type KybCategory = CategoryOf<KybCode>;

/** The part of a code before its dot. */
export function categoryOf(code: KybCode): KybCategory {
  return code.slice(0, code.indexOf('.')) as KybCategory; // every code has a dot
}

/** The value submitted for a requirement: a string, or an object of strings, numbers, booleans and nulls. */
export type KybValue = string | Readonly<Record<string, string | number | boolean | null>>;

export const kybTextMax = 4_000;
export const kybFieldsMax = 20;
export const kybFieldNameMax = 40;
export const kybFieldMax = 1_000;

/**
 * Checks the size only: the form of a registration number differs by country, and a reviewer checks it. Objects are
 * flat, so that a reviewer sees all of their fields.
 */
export function isKybValue(value: unknown): value is KybValue {
  if (typeof value === 'string') return value.trim() !== '' && value.length <= kybTextMax;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length >= 1 &&
    entries.length <= kybFieldsMax &&
    entries.every(([name, entry]) => name.length >= 1 && name.length <= kybFieldNameMax && isKybField(entry))
  );
}

function isKybField(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= kybFieldMax;
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

/** What is asked of a business, in this order (contract 18). */
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

/** Every code is required today; the answer says so of each, so that a client need not know. */
interface KybRequirementFacts {
  description: string;
  required: boolean;
}

export const kybRequirements: Readonly<Record<KybCode, KybRequirementFacts>> = {
  'business.legal_name': { required: true, description: 'The name of the business as its register has it.' },
  'business.registration_number': {
    required: true,
    description: 'Its number in the commercial register, or what its country has instead.',
  },
  'business.tax_id': { required: true, description: 'Its tax number: EIN, VAT number or the like.' },
  'business.address': {
    required: true,
    description: 'Where it is established: `{line1, line2, city, state, postalCode, country}`, or the same as a text.',
  },
  'business.website': { required: true, description: 'Where its customers find it: an address on the web.' },
  'business.mcc': { required: true, description: 'The merchant category code of what it sells: four digits.' },
  'representative.identity': {
    required: true,
    description: 'Who acts for it: `{firstName, lastName, dateOfBirth, nationality, idNumber}`, or the same as a text.',
  },
  'representative.address': {
    required: true,
    description: 'Where that person lives: `{line1, line2, city, state, postalCode, country}`, or the same as a text.',
  },
  'banking.account': {
    required: true,
    description:
      'Where its money goes: `{iban}`, or `{routingNumber, accountNumber}`, with `accountHolder`; or the same as a text.',
  },
  'documents.registration_extract': {
    required: true,
    description:
      'An extract of its register, not older than three months: a link from which a reviewer can fetch it, or its text.',
  },
};

/** The part of a code before its dot. */
export function categoryOf(code: KybCode): string {
  return code.slice(0, code.indexOf('.'));
}

/** What is sent for a requirement: a text, or an object of texts, numbers, truth values and nulls. */
export type KybValue = string | Readonly<Record<string, string | number | boolean | null>>;

export const kybTextMax = 4_000;
export const kybFieldsMax = 20;
export const kybFieldNameMax = 40;
export const kybFieldMax = 1_000;

/**
 * Bounded, and no more: what a number of a register looks like differs by country and is a reviewer's to judge. An object's
 * fields are plain values, so that a reviewer reads all of them at a glance.
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

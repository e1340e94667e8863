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

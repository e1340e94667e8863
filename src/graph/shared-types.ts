import type { ErrorCode as Code } from '../lib/errors.ts';
import { builder } from './builder.ts';

const parts = {
  firstName: 'Given name of the addressee.',
  lastName: 'Family name of the addressee.',
  line1: 'First line: street and number.',
  line2: 'Second line: apartment, floor or building.',
  city: 'City or town.',
  state: 'State, province or region.',
  postalCode: 'Postal code.',
  phone: 'Telephone number of the addressee.',
} as const;

type Part = keyof typeof parts;
const partNames = Object.keys(parts) as Part[]; // Object.keys widens to string

/** An address as it is stored. Every part may be absent. */
export type AddressValue = { [Name in Part | 'country' | 'email']?: string | null };

/** An address as the API returns it: a part that was not given is null. */
export type AddressObject = { [Name in keyof AddressValue]-?: string | null };

export function addressObject(address: AddressValue | null): AddressObject | null {
  if (address === null) return null;
  return {
    firstName: address.firstName ?? null,
    lastName: address.lastName ?? null,
    line1: address.line1 ?? null,
    line2: address.line2 ?? null,
    city: address.city ?? null,
    state: address.state ?? null,
    postalCode: address.postalCode ?? null,
    country: address.country ?? null,
    phone: address.phone ?? null,
    email: address.email ?? null,
  };
}

export const Address = builder.objectRef<AddressValue>('Address').implement({
  description: 'A postal address. Every part is null if it was not given.',
  fields: (t) => ({
    ...Object.fromEntries(
      partNames.map((name) => [name, t.exposeString(name, { nullable: true, description: parts[name] })]),
    ),
    country: t.expose('country', {
      type: 'Country',
      nullable: true,
      description: 'Two-letter ISO 3166-1 country code in upper case.',
    }),
    email: t.expose('email', { type: 'Email', nullable: true, description: 'Email address of the addressee.' }),
  }),
});

export const AddressInput = builder.inputType('AddressInput', {
  description: 'A postal address. Every part is optional; strings have at most 500 characters.',
  fields: (t) => ({
    ...Object.fromEntries(partNames.map((name) => [name, t.field({ type: 'ShortText', description: parts[name] })])),
    country: t.field({ type: 'Country', description: 'Two-letter ISO 3166-1 country code in upper case.' }),
    email: t.field({ type: 'Email', description: 'Email address of the addressee.' }),
  }),
});

/**
 * The options of a field that returns the stored property of the same name, where the type of the row is wider than
 * that of the field: a status is a string there, and a JSON column anything. A CHECK constraint limits such a column,
 * or only the write path writes it. Pothos gives the field no resolver, so that a list reads the property itself
 * instead of making a call for each row.
 */
export function storedColumn<const Name extends string>(name: Name) {
  return {
    extensions: { pothosExposedField: name },
    resolve: (row: { readonly [Key in Name]: unknown }) => row[name] as never,
  };
}

/** The argument that names a processing account. */
export const platformAccountIdArgument = {
  required: true,
  description: 'Identifier of the processing account, prefix `tpa_`.',
} as const;

/** The answer to every deletion. */
export const DeleteResult = builder.objectRef<{ id: string; deleted: true }>('DeleteResult').implement({
  description: 'The result of a deletion.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the deleted object.' }),
    deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
  }),
});

export const ErrorCode = builder.enumType('ErrorCode', {
  description: 'What went wrong, for programs.',
  values: {
    INPUT_PARSE_ERROR: { description: 'The body or a value is invalid.' },
    NOT_AUTHORIZED: { description: 'The credential is missing, unknown, revoked or expired.' },
    FORBIDDEN: { description: 'The caller is not permitted to do this.' },
    NOT_FOUND: { description: 'Object not found, or not visible to the caller.' },
    PAYMENT_NOT_FOUND: { description: 'Payment not found, or not visible to the caller.' },
    CONFLICT: { description: 'The request conflicts with the current state.' },
    GONE: { description: 'The object existed and has expired.' },
    TOO_MANY_REQUESTS: { description: 'A rate limit is exceeded.' },
    METHOD_NOT_ALLOWED: { description: 'The path does not support the method.' },
    REQUEST_TIMEOUT: { description: 'The request did not arrive in time.' },
    HEADERS_TOO_LARGE: { description: 'The headers are too large.' },
    PAYLOAD_TOO_LARGE: { description: 'The body is too large.' },
    MISDIRECTED_REQUEST: {
      description: 'The host name is not one of this server, or the partner has moved to another cell.',
    },
    UNSUPPORTED_MEDIA_TYPE: { description: 'The body is not JSON in UTF-8.' },
    INTERNAL_SERVER_ERROR: { description: 'An internal error.' },
    SERVICE_UNAVAILABLE: { description: 'A dependency of the platform is temporarily unavailable.' },
  } as const satisfies Record<Code, object>,
});

export const Mode = builder.enumType('Mode', {
  description: 'The mode of an object or a key. Objects of one mode are not visible in the other.',
  values: {
    test: { description: 'No real money moves.' },
    live: { description: 'Real payments.' },
  } as const,
});

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

/** An address as it is stored and returned. Every part may be absent. */
export type AddressValue = { [Name in Part | 'country' | 'email']?: string | null };

/** An address as it is answered: a part that was not given is null. */
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
    email: t.expose('email', { type: 'Email', nullable: true, description: 'E-mail address of the addressee.' }),
  }),
});

export const AddressInput = builder.inputType('AddressInput', {
  description: 'A postal address. Every part is optional; strings have at most 500 characters.',
  fields: (t) => ({
    ...Object.fromEntries(partNames.map((name) => [name, t.field({ type: 'ShortText', description: parts[name] })])),
    country: t.field({ type: 'Country', description: 'Two-letter ISO 3166-1 country code in upper case.' }),
    email: t.field({ type: 'Email', description: 'E-mail address of the addressee.' }),
  }),
});

import { builder } from './builder.ts';

const parts = {
  firstName: 'Given name.',
  lastName: 'Family name.',
  line1: 'Street and number.',
  line2: 'Flat, floor, building.',
  city: 'City or town.',
  state: 'State, province or region.',
  postalCode: 'Postal code.',
  phone: 'Telephone number.',
} as const;

type Part = keyof typeof parts;
const partNames = Object.keys(parts) as Part[]; // Object.keys widens to string

/** An address as it is kept and answered: every part may be absent. */
export type AddressValue = { [Name in Part | 'country' | 'email']?: string | null };

export const Address = builder.objectRef<AddressValue>('Address').implement({
  description: 'A postal address.',
  fields: (t) => ({
    ...Object.fromEntries(
      partNames.map((name) => [
        name,
        t.string({ nullable: true, description: parts[name], resolve: (address) => address[name] ?? null }),
      ]),
    ),
    country: t.field({
      type: 'Country',
      nullable: true,
      description: 'ISO 3166-1 alpha-2 country code.',
      resolve: (address) => address.country ?? null,
    }),
    email: t.field({
      type: 'Email',
      nullable: true,
      description: 'E-mail address.',
      resolve: (address) => address.email ?? null,
    }),
  }),
});

export const AddressInput = builder.inputType('AddressInput', {
  description: 'A postal address. Every part is optional.',
  fields: (t) => ({
    ...Object.fromEntries(partNames.map((name) => [name, t.field({ type: 'ShortText', description: parts[name] })])),
    country: t.field({ type: 'Country', description: 'ISO 3166-1 alpha-2 country code in upper case.' }),
    email: t.field({ type: 'Email', description: 'E-mail address.' }),
  }),
});

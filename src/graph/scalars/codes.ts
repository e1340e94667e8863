import { defineScalar } from '../define-scalar.ts';

defineScalar('Currency', {
  description: 'A three-letter ISO 4217 currency code in upper case, such as `USD`.',
  jsonSchema: { type: 'string', pattern: '^[A-Z]{3}$', examples: ['USD'] },
  expected: 'must be an ISO 4217 currency code in upper case, such as "USD"',
  parse: (value) => (typeof value === 'string' && currencies.has(value) ? value : undefined),
});

defineScalar('Country', {
  description: 'A two-letter ISO 3166-1 country code in upper case, such as `US`.',
  jsonSchema: { type: 'string', pattern: '^[A-Z]{2}$', examples: ['US'] },
  expected: 'must be an ISO 3166-1 alpha-2 country code in upper case, such as "US"',
  parse: (value) => (typeof value === 'string' && isCountry(value) ? value : undefined),
});

const currencies = new Set(Intl.supportedValuesOf('currency'));

function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && !notCountries.has(code) && regionNames.of(code) !== undefined;
}

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

// Regions of CLDR that ISO 3166-1 does not list as countries.
const notCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

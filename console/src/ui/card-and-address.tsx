import { Stack, Text } from '@mantine/core';

interface AddressParts {
  firstName: string | null;
  lastName: string | null;
  line1: string | null;
  line2: string | null;
  city: string | null;
  state: string | null;
  postalCode: string | null;
  country: string | null;
}

function addressLines(of: AddressParts): string[] {
  return [[of.firstName, of.lastName], [of.line1], [of.line2], [of.postalCode, of.city, of.state], [of.country]]
    .map((parts) => parts.filter(Boolean).join(' '))
    .filter((line) => line !== '');
}

/** An address in one line. */
export function addressText(of: AddressParts): string {
  return addressLines(of).join(', ');
}

/** An address in lines. */
export function Address({ of }: { of: AddressParts | null }) {
  if (!of) return null;
  return (
    <Stack gap={0}>
      {addressLines(of).map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Stack>
  );
}

export interface CardFacts {
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  funding: string;
}

const brands: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  maestro: 'Maestro',
};

/** A card in a few words, for example `Visa ···· 4242`. */
export function shortCardText({ brand, last4 }: Pick<CardFacts, 'brand' | 'last4'>): string {
  return `${brands[brand] ?? brand} ···· ${last4}`;
}

/** A card in words, for example `Visa ···· 4242, 12/2029, credit`. */
export function cardText(card: CardFacts): string {
  return `${shortCardText(card)}, ${card.expMonth}/${card.expYear}, ${card.funding}`;
}

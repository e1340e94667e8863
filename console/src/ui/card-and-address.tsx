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

/** A card in words, for example `visa ···· 4242, 12/2029, credit`. */
export function cardText({ brand, last4, expMonth, expYear, funding }: CardFacts): string {
  return `${brand} ···· ${last4}, ${expMonth}/${expYear}, ${funding}`;
}

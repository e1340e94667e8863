import { Stack, Text } from '@mantine/core';
import { RowsSection } from './rows-section.tsx';
import { Time } from './time.tsx';

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

interface CardFacts {
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

interface Instrument {
  id: string;
  isActive: boolean;
  isDefault: boolean;
  createdAt: string;
  card: CardFacts & { fingerprint: string };
}

/** The cards of a customer, each of which leads to all payments of its card. */
export function CardsOf({ instruments }: { instruments: readonly Instrument[] | null }) {
  return (
    <RowsSection
      title="Cards"
      rows={instruments}
      keyOf={({ id }) => id}
      pathOf={({ card }) => `/payments?fingerprint=${encodeURIComponent(card.fingerprint)}`}
      empty="No card is stored."
      columns={[
        { name: 'Card', cell: ({ card }) => cardText(card) },
        {
          name: 'State',
          cell: ({ isActive, isDefault }) => (isActive ? (isDefault ? 'default' : 'active') : 'not used any more'),
        },
        { name: 'Stored', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}

import { Stack } from '@mantine/core';
import type { ResultOf } from '../graph/graphql.ts';
import { PathLink } from '../ui/detail-page.tsx';
import { percentText } from '../ui/format.ts';
import type { Column, Search } from '../ui/list-definition.ts';
import { Money } from '../ui/money.tsx';
import { RowsSection } from '../ui/rows-section.tsx';
import type { figuresDocument } from './figure-charts.tsx';

type Data = ResultOf<typeof figuresDocument>;
type Total = NonNullable<Data['totals']>[number];
type OfProcessor = NonNullable<Data['processors']>[number];

const shared: readonly Column<Pick<Total, 'payments' | 'approvalRate' | 'volume' | 'currency'>>[] = [
  { name: 'Volume', right: true, cell: ({ volume, currency }) => <Money amount={volume} currency={currency} /> },
  { name: 'Payments', right: true, cell: ({ payments }) => payments.toLocaleString() },
  {
    name: 'Approved',
    right: true,
    cell: ({ approvalRate }) => (approvalRate === null ? '–' : percentText(approvalRate)),
  },
];

/** The figures of every currency, and of every processor, each with the way to its payments. */
export function FigureTables({ data, shown }: { data: Data; shown: Search }) {
  const currencies: readonly Column<Total>[] = [
    {
      name: 'Currency',
      cell: ({ currency }) => (
        <PathLink path="/payments" search={{ ...shown, currency }}>
          {currency}
        </PathLink>
      ),
    },
    ...shared,
    {
      name: 'Refunded',
      right: true,
      cell: ({ refundedVolume, currency }) => <Money amount={refundedVolume} currency={currency} />,
    },
    {
      name: 'Disputed',
      right: true,
      cell: ({ disputedVolume, currency }) => <Money amount={disputedVolume} currency={currency} />,
    },
  ];
  const processors: readonly Column<OfProcessor>[] = [
    {
      name: 'Processor',
      cell: ({ key, currency }) =>
        key === null ? (
          'None'
        ) : (
          <PathLink path="/payments" search={{ ...shown, processorId: key, currency }}>
            {key}
          </PathLink>
        ),
    },
    ...shared,
  ];
  return (
    <Stack>
      <RowsSection
        title="By currency"
        rows={data.totals}
        keyOf={({ currency }) => currency}
        columns={currencies}
        empty="No charges in this period."
      />
      <RowsSection
        title="By processor"
        rows={(data.processors ?? []).filter(({ payments }) => payments > 0)}
        keyOf={({ key, currency }) => `${key} ${currency}`}
        columns={processors}
        empty="No charges in this period."
      />
    </Stack>
  );
}

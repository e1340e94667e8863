import { SimpleGrid } from '@mantine/core';
import { PathLink } from '../ui/detail-page.tsx';
import { percentText } from '../ui/format.ts';
import type { Column, Search } from '../ui/list-definition.ts';
import { Money } from '../ui/money.tsx';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Words } from '../ui/status.tsx';
import type { FiguresData, Total } from './figures-document.ts';

type OfType = NonNullable<FiguresData['processorTypes']>[number];

const rowsMax = 10;
const shared: readonly Column<Pick<Total, 'payments' | 'approvalRate' | 'capturedVolume' | 'currency'>>[] = [
  {
    name: 'Captured',
    right: true,
    cell: ({ capturedVolume, currency }) => <Money amount={capturedVolume} currency={currency} />,
  },
  { name: 'Payments', right: true, cell: ({ payments }) => payments.toLocaleString() },
  {
    name: 'Approved',
    right: true,
    cell: ({ approvalRate }) => (approvalRate === null ? '–' : percentText(approvalRate)),
  },
];

/** The figures of each currency, with the way to its payments, and of each type of processor. */
export function FigureTables({ data, shown }: { data: FiguresData; shown: Search }) {
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
    { name: 'Net', right: true, cell: ({ netVolume, currency }) => <Money amount={netVolume} currency={currency} /> },
  ];
  const types: readonly Column<OfType>[] = [
    {
      name: 'Type',
      cell: ({ key }) =>
        key === null ? (
          'None'
        ) : (
          <PathLink path="/processors" search={{ type: key }}>
            <Words of={key} />
          </PathLink>
        ),
    },
    ...shared,
  ];
  const { platformAccountId, partner } = shown;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <RowsSection
        title="By currency"
        rows={data.totals?.slice(0, rowsMax)}
        keyOf={({ currency }) => currency}
        columns={currencies}
        aside={<AllRows path="/payments" filters={shown} />}
        empty="No payments in this period."
      />
      <RowsSection
        title="By processor type"
        rows={data.processorTypes?.filter(({ payments }) => payments > 0).slice(0, rowsMax)}
        keyOf={({ key, currency }) => `${key} ${currency}`}
        columns={types}
        aside={
          <AllRows
            path="/processors"
            filters={{ ...(platformAccountId && { platformAccountId }), ...(partner && { partner }) }}
          />
        }
        empty="No payments in this period."
      />
    </SimpleGrid>
  );
}

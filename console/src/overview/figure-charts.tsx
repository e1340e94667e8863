import { SimpleGrid } from '@mantine/core';
import { currencyDigits } from '../../../src/theme/money.ts';
import { type Bar, DayChart } from '../ui/day-chart.tsx';
import { Section } from '../ui/facts.tsx';
import { moneyText, percentText } from '../ui/format.ts';
import type { Search } from '../ui/list-definition.ts';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Words } from '../ui/status.tsx';
import type { Day, FiguresData } from './figures-document.ts';
import { dayName, type Span } from './span.ts';

interface ChartsProps {
  data: FiguresData;
  currency: string;
  span: Span;
  /** The filters of the list of payments that name the same days and tenant. */
  shown: Search;
}

/** The days of a period in one currency, beside those of the period before. */
export function FigureCharts({ data: { days, daysBefore, declines }, currency, span, shown: filters }: ChartsProps) {
  const own = new Map(
    [...(days ?? []), ...(daysBefore ?? [])].filter((row) => row.currency === currency).map((row) => [row.key, row]),
  );
  const bars = (value: (day: Day) => number, text: (day: Day) => string): Bar[] => {
    const shown = (key: string) => {
      const day = own.get(key);
      return { name: dayName(key), value: day ? value(day) : 0, text: day ? text(day) : 'no payments' };
    };
    return span.days.map((key, index) => ({ key, ...shown(key), before: shown(span.before[index] ?? '') }));
  };
  const refused = (declines ?? []).filter((row) => row.currency === currency && row.refused > 0);
  const allRefused = refused.reduce((sum, row) => sum + row.refused, 0);
  const compact = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    notation: 'compact',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  });
  return (
    <SimpleGrid cols={{ base: 1, lg: 3 }}>
      <Section title="Captured">
        <DayChart
          label={`Captured volume of each day in ${currency}`}
          bars={bars(
            ({ capturedVolume }) => Number(capturedVolume),
            ({ capturedVolume, approved }) => `${moneyText(capturedVolume, currency)}, ${approved} approved`,
          )}
          axisText={(value) => compact.format(value / 10 ** currencyDigits(currency))}
        />
      </Section>
      <Section title="Approval rate">
        <DayChart
          label={`Approval rate of each day in ${currency}`}
          max={1}
          bars={bars(
            ({ approvalRate }) => approvalRate ?? 0,
            ({ approvalRate, approved, refused }) =>
              `${approvalRate === null ? 'no outcome' : percentText(approvalRate)}, ${approved} approved, ${refused} declined`,
          )}
          axisText={percentText}
        />
      </Section>
      <RowsSection
        title="Decline reasons"
        rows={refused.toSorted((one, other) => other.refused - one.refused).slice(0, 5)}
        keyOf={({ key }) => key ?? ''}
        empty="No declines in this period."
        aside={<AllRows path="/payments" filters={{ ...filters, currency, status: 'declined' }} />}
        columns={[
          { name: 'Reason', cell: ({ key }) => <Words of={key ?? 'no code'} /> },
          { name: 'Share', right: true, cell: ({ refused }) => percentText(refused / allRefused) },
          { name: 'Charges', right: true, cell: ({ refused }) => refused.toLocaleString() },
        ]}
      />
    </SimpleGrid>
  );
}

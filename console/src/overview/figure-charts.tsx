import { Group, Select, SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { BarChart } from '../ui/bar-chart.tsx';
import { Section } from '../ui/facts.tsx';
import { humanize, moneyText, percentText } from '../ui/format.ts';
import { RowsSection } from '../ui/rows-section.tsx';

export const figuresDocument = graphql(`
  query Figures($mode: Mode!, $from: Date!, $to: Date!, $partnerSlug: Slug, $platformAccountId: ID) {
    days: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $from, to: $to, by: day) {
      key currency payments approved refused approvalRate volume
    }
    totals: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $from, to: $to, by: currency) {
      currency payments approved refused approvalRate volume refunds refundedVolume disputes disputedVolume
    }
    declines: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $from, to: $to, by: declineCode) {
      key currency refused
    }
    processors: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $from, to: $to, by: processor) {
      key currency payments approvalRate volume
    }
  }
`);

type Data = ResultOf<typeof figuresDocument>;
type Day = NonNullable<Data['days']>[number];
type Total = NonNullable<Data['totals']>[number];

/** The figures of the days `span`, of one currency at a time. */
export function FigureCharts({ data: { days, totals, declines }, span }: { data: Data; span: readonly string[] }) {
  const currencies = (totals ?? []).map(({ currency }) => currency);
  const [chosen, choose] = useState<string | null>(null);
  const currency = chosen !== null && currencies.includes(chosen) ? chosen : currencies[0];
  const total = totals?.find((row) => row.currency === currency);
  if (!total || currency === undefined)
    return (
      <Text size="sm" c="dimmed">
        No charges in this period. Test clocks are excluded.
      </Text>
    );
  const ofDay = new Map((days ?? []).filter((row) => row.currency === currency).map((row) => [row.key, row]));
  const bars = (value: (day: Day) => number, text: (day: Day) => string) =>
    span.map((key) => {
      const day = ofDay.get(key);
      return { key, value: day ? value(day) : 0, text: day ? text(day) : 'None' };
    });
  return (
    <>
      <Group gap="lg" align="end">
        {currencies.length > 1 && (
          <Select
            label="Currency"
            size="xs"
            w={90}
            data={currencies}
            value={currency}
            allowDeselect={false}
            onChange={choose}
          />
        )}
        <Totals of={total} />
      </Group>
      <SimpleGrid cols={{ base: 1, lg: 3 }}>
        <Section title="Volume">
          <BarChart
            label={`Volume of each day in ${currency}`}
            bars={bars(
              ({ volume }) => Number(volume),
              ({ volume, approved }) => `${moneyText(volume, currency)} of ${approved} payments`,
            )}
            topText={moneyText(highest(ofDay.values()), currency)}
          />
        </Section>
        <Section title="Approval rate">
          <BarChart
            label="Approval rate of each day"
            max={1}
            bars={bars(
              ({ approvalRate }) => approvalRate ?? 0,
              ({ approvalRate, approved, refused }) =>
                `${approvalRate === null ? 'None' : percentText(approvalRate)}, ${approved} approved, ${refused} declined`,
            )}
            topText={percentText(1)}
          />
        </Section>
        <RowsSection
          title="Decline reasons"
          rows={(declines ?? [])
            .filter((row) => row.currency === currency && row.refused > 0)
            .toSorted((one, other) => other.refused - one.refused)
            .slice(0, 5)}
          keyOf={({ key }) => key ?? ''}
          empty="No declines."
          columns={[
            { name: 'Reason', cell: ({ key }) => (key === null ? 'No code' : humanize(key)) },
            { name: 'Share', right: true, cell: ({ refused }) => percentText(refused / total.refused) },
            { name: 'Charges', right: true, cell: ({ refused }) => refused },
          ]}
        />
      </SimpleGrid>
    </>
  );
}

/** The highest volume, exact also where the height of a bar is not. */
function highest(days: Iterable<Day>): bigint {
  return [...days].map(({ volume }) => BigInt(volume)).reduce((one, other) => (other > one ? other : one), 0n);
}

function Totals({ of: total }: { of: Total }) {
  const { currency, approvalRate } = total;
  const facts = [
    ['Volume', moneyText(total.volume, currency)],
    ['Payments', total.payments.toLocaleString()],
    ['Approved', approvalRate === null ? '–' : percentText(approvalRate)],
    ['Refunded', `${moneyText(total.refundedVolume, currency)} in ${total.refunds}`],
    ['Disputed', `${moneyText(total.disputedVolume, currency)} in ${total.disputes}`],
  ] as const;
  return facts.map(([name, value]) => (
    <div key={name}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={700} className="figures">
        {value}
      </Text>
    </div>
  ));
}

import { Card, SimpleGrid, Text, VisuallyHidden } from '@mantine/core';
import { moneyText, percentText } from '../ui/format.ts';
import type { Total } from './figures-document.ts';

const change = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});
const points = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const none = '–';

interface TilesProps {
  currency: string;
  /** Undefined if the period has no payments, refunds and disputes in the currency. */
  total: Total | undefined;
  before: Total | undefined;
}

/** The totals of a period in one currency, each with its change from the period before. */
export function FigureTiles({ currency, total, before }: TilesProps) {
  const money = (amount: string | undefined): string => moneyText(amount ?? '0', currency);
  const rate = total?.approvalRate ?? null;
  const rateBefore = before?.approvalRate ?? null;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs">
      <Tile name="Captured" value={money(total?.capturedVolume)} change={changed('capturedVolume')} />
      <Tile
        name="Refunded"
        value={money(total?.refundedVolume)}
        detail={countText(total?.refunds, 'refund')}
        change={changed('refundedVolume')}
      />
      <Tile
        name="Disputed"
        value={money(total?.disputedVolume)}
        detail={countText(total?.disputes, 'dispute')}
        change={changed('disputedVolume')}
      />
      <Tile
        name="Net"
        value={money(total?.netVolume)}
        detail="captured less refunded and disputed"
        change={changed('netVolume')}
      />
      <Tile
        name="Approval rate"
        value={rate === null ? none : percentText(rate)}
        detail={`${(total?.approved ?? 0).toLocaleString()} approved, ${(total?.refused ?? 0).toLocaleString()} declined`}
        change={rate === null || rateBefore === null ? none : `${points.format((rate - rateBefore) * 100)} points`}
      />
      <Tile
        name="Payments"
        value={(total?.payments ?? 0).toLocaleString()}
        detail={`${money(total?.authorizedVolume)} authorized`}
        change={changed('payments')}
      />
    </SimpleGrid>
  );

  function changed(field: 'capturedVolume' | 'refundedVolume' | 'disputedVolume' | 'netVolume' | 'payments'): string {
    const [now, then] = [Number(total?.[field] ?? 0), Number(before?.[field] ?? 0)];
    // A share of nothing, or of a loss, says nothing.
    return then > 0 ? change.format(now / then - 1) : none;
  }
}

function countText(count = 0, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}

function Tile({ name, value, detail, change }: { name: string; value: string; detail?: string; change: string }) {
  return (
    <Card withBorder padding="sm" component="section" aria-label={name}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fz={20} fw={700} lh={1.4} className="figures">
        {value}
      </Text>
      <Text size="sm" className="figures">
        {change}
        <VisuallyHidden> from the period before</VisuallyHidden>
      </Text>
      {detail !== undefined && (
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      )}
    </Card>
  );
}

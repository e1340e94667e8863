import { Card, SimpleGrid, Text, VisuallyHidden } from '@mantine/core';
import { moneyText, percentText } from '../ui/format.ts';
import { Sparkline } from '../ui/sparkline.tsx';
import type { FiguresData, Total } from './figures-document.ts';
import type { Span } from './span.ts';

const share = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});
const points = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const none = '–';

interface TilesProps {
  data: FiguresData;
  currency: string;
  span: Span;
}

type Count = 'capturedVolume' | 'refundedVolume' | 'disputedVolume' | 'netVolume' | 'payments';

/** The totals of a period in one currency, each with its change from the period before and its course over the days. */
export function FigureTiles({ data: { totals, totalsBefore, days }, currency, span }: TilesProps) {
  const ofCurrency = (rows: readonly Total[] | null) => rows?.find((row) => row.currency === currency);
  // Undefined if the period has no payments, refunds and disputes in the currency.
  const [total, before] = [ofCurrency(totals), ofCurrency(totalsBefore)];
  const own = new Map(days?.filter((day) => day.currency === currency).map((day) => [day.key, day]));
  const perDay = (field: Count) => span.days.map((key) => Number(own.get(key)?.[field] ?? 0));
  const money = (amount: string | undefined): string => moneyText(amount ?? '0', currency);
  const rate = total?.approvalRate ?? null;
  const rateBefore = before?.approvalRate ?? null;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs">
      <Tile name="Captured" value={money(total?.capturedVolume)} {...course('capturedVolume')} />
      <Tile
        name="Refunded"
        value={money(total?.refundedVolume)}
        detail={countText(total?.refunds, 'refund')}
        {...course('refundedVolume')}
        isCost
      />
      <Tile
        name="Disputed"
        value={money(total?.disputedVolume)}
        detail={countText(total?.disputes, 'dispute')}
        {...course('disputedVolume')}
        isCost
      />
      <Tile name="Net" value={money(total?.netVolume)} detail="after refunds and disputes" {...course('netVolume')} />
      <Tile
        name="Approval rate"
        value={rate === null ? none : percentText(rate)}
        detail={`${(total?.approved ?? 0).toLocaleString()} approved, ${(total?.refused ?? 0).toLocaleString()} declined`}
        change={rate === null || rateBefore === null ? null : (rate - rateBefore) * 100}
        format={(difference) => `${points.format(difference)} points`}
        days={span.days.flatMap((key) => own.get(key)?.approvalRate ?? [])}
      />
      <Tile
        name="Payments"
        value={(total?.payments ?? 0).toLocaleString()}
        detail={`${money(total?.authorizedVolume)} authorized`}
        {...course('payments')}
      />
    </SimpleGrid>
  );

  /** The change from the period before, and the days of this one. */
  function course(field: Count): Pick<TileProps, 'change' | 'days'> {
    const [now, then] = [Number(total?.[field] ?? 0), Number(before?.[field] ?? 0)];
    // A share of nothing, or of a loss, says nothing.
    return { change: then > 0 ? now / then - 1 : null, days: perDay(field) };
  }
}

function countText(count = 0, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}

interface TileProps {
  name: string;
  value: string;
  detail?: string;
  /** From the period before; null if it cannot be compared. */
  change: number | null;
  format?: (change: number) => string;
  /** The value of each day. */
  days: readonly number[];
  /** Whether more of it is worse. */
  isCost?: boolean;
}

function Tile({ name, value, detail, change, format = share.format, days, isCost = false }: TileProps) {
  const isBetter = change !== null && change !== 0 && change > 0 !== isCost;
  return (
    <Card withBorder padding="sm" component="section" aria-label={name}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fz={20} fw={700} lh={1.4} className="figures">
        {value}
      </Text>
      <Text size="sm" className="figures" data-change={change ? (isBetter ? 'better' : 'worse') : undefined}>
        {change === null ? none : format(change)}
        <VisuallyHidden> from the period before</VisuallyHidden>
      </Text>
      {detail !== undefined && (
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      )}
      <Sparkline values={days} />
    </Card>
  );
}

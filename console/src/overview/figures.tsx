import { Box, Select, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask } from '../graph/ask.ts';
import { Ready } from '../ui/detail-page.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { changed, type Filter, objectFilter, partnerFilter, type Search } from '../ui/list-definition.ts';
import { useMode } from '../ui/mode.ts';
import { may, usePerson } from '../ui/person.tsx';
import { FigureCharts } from './figure-charts.tsx';
import { FigureTables } from './figure-tables.tsx';
import { FigureTiles } from './figure-tiles.tsx';
import { type FiguresData, figuresDocument } from './figures-document.ts';
import { daysName, type Span, spanOf, spans } from './span.ts';

const dayFilter = (key: string, label: string): Filter => ({ kind: 'date', key, label, toInput: () => ({}) });

const dayFilters = [dayFilter('from', 'From'), dayFilter('to', 'To')];
const accountFilter = objectFilter('account', 'Account', 'account');

/** The height of the tiles, so that what is below them does not move when they are read. */
const tilesHeight = 150;

/**
 * What was captured, refunded, disputed and declined in some days, with `children` between the totals and the charts. The
 * URL contains which days, whose and the currency.
 */
export function Figures({ children }: { children: ReactNode }) {
  const mode = useMode();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const isStaff = may(usePerson(), 'platformStaff');
  const span = spanOf(search);
  const [from, to] = endsOf(span.days);
  const [beforeFrom, beforeTo] = endsOf(span.before);
  const variables = {
    mode,
    from,
    to,
    beforeFrom,
    beforeTo,
    ...(search['partner'] && { partnerSlug: search['partner'] }),
    ...(search['account'] && { platformAccountId: search['account'] }),
  };
  const query = useQuery({
    queryKey: ['figures', variables],
    queryFn: async ({ signal }) => ({ data: await ask(figuresDocument, variables, { signal }), span }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  const currencies = currenciesOf(query.data?.data);
  const currency = currencies.find((name) => name === search['currency']) ?? currencies[0];
  // The same days and tenant, as the list of payments names them.
  const shown = changed(
    {},
    { since: from, until: to, platformAccountId: search['account'] ?? '', partner: search['partner'] ?? '' },
  );
  const show = (changes: Search): void =>
    void navigate({ to: '.', search: changed(search, changes), resetScroll: false });
  return (
    <>
      <Text size="sm" c="dimmed" mt={-12}>
        {daysName(span.days)}, compared with {daysName(span.before)}. Days are UTC. Test clocks are excluded.
      </Text>
      <FilterBar
        filters={[...(span.name === 'custom' ? dayFilters : []), accountFilter, ...(isStaff ? [partnerFilter] : [])]}
        search={search}
        onChange={show}
        onClear={() => show({ from: '', to: '', account: '', partner: '' })}
      >
        <Select
          aria-label="Period"
          size="xs"
          w={140}
          data={[...spans, { value: 'custom', label: 'Custom' }]}
          value={span.name}
          allowDeselect={false}
          onChange={(name) => show(name === 'custom' ? { days: '', from, to } : { days: name ?? '', from: '', to: '' })}
        />
        {currencies.length > 1 && (
          <Select
            aria-label="Currency"
            size="xs"
            w={80}
            data={currencies}
            value={currency ?? null}
            allowDeselect={false}
            onChange={(name) => show({ currency: name ?? '' })}
          />
        )}
      </FilterBar>
      <Box mih={tilesHeight}>
        <Ready query={query}>{(shownData) => <Totals {...shownData} currency={currency} />}</Ready>
      </Box>
      {children}
      {query.data && currency !== undefined && <FigureCharts {...query.data} currency={currency} shown={shown} />}
      {query.data && <FigureTables data={query.data.data} shown={shown} />}
    </>
  );
}

/** The currencies of both periods, that with the most payments first. */
function currenciesOf(data: FiguresData | undefined): string[] {
  const rows = [...(data?.totals ?? []), ...(data?.totalsBefore ?? [])];
  return [...new Set(rows.map(({ currency }) => currency))];
}

/** The tiles of one currency: the chosen one, or that with the most payments. */
function Totals({ data, currency, span }: { data: FiguresData; currency: string | undefined; span: Span }) {
  if (currency === undefined)
    return (
      <Text size="sm" c="dimmed">
        No payments in this period and in the period before. Amounts and charts appear here with the first payment.
      </Text>
    );
  return <FigureTiles data={data} currency={currency} span={span} />;
}

const endsOf = (days: readonly string[]): [first: string, last: string] => [days[0] ?? '', days.at(-1) ?? ''];

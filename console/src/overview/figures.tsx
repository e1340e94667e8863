import { Group, SegmentedControl, Stack, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ask } from '../graph/ask.ts';
import { serverNow } from '../graph/server-time.ts';
import { Ready } from '../ui/detail-page.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { changed, type Filter, objectFilter, partnerFilter, type Search } from '../ui/list-definition.ts';
import { useMode } from '../ui/mode.ts';
import { may, usePerson } from '../ui/person.tsx';
import { FigureCharts, figuresDocument } from './figure-charts.tsx';
import { FigureTables } from './figure-tables.tsx';

const dayMs = 86_400_000;
/** As many as the platform gives figures of at once. */
const daysMax = 366;
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const dayFilter = (key: string, label: string): Filter => ({ kind: 'date', key, label, toInput: () => ({}) });

const filters = [dayFilter('from', 'From'), dayFilter('to', 'To'), objectFilter('account', 'Account', 'account')];

/** What was paid, approved and refused in some days, those of UTC. The URL contains which, and whose. */
export function Figures() {
  const mode = useMode();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const isStaff = may(usePerson(), 'platformStaff');
  const span = spanOf(search);
  const [from = '', to = from] = [span[0], span.at(-1)];
  const variables = {
    mode,
    from,
    to,
    ...(search['partner'] && { partnerSlug: search['partner'] }),
    ...(search['account'] && { platformAccountId: search['account'] }),
  };
  const query = useQuery({
    queryKey: ['figures', variables],
    queryFn: ({ signal }) => ask(figuresDocument, variables, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  // The same days and tenant, as the list of payments names them.
  const shown = changed(
    {},
    { since: from, until: to, platformAccountId: search['account'] ?? '', partner: search['partner'] ?? '' },
  );
  const show = (changes: Search): void =>
    void navigate({ to: '.', search: changed(search, changes), resetScroll: false });
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Charges
        </Title>
        <SegmentedControl
          size="xs"
          aria-label="Span"
          value={search['from'] || search['to'] ? '' : (search['days'] ?? '30')}
          onChange={(days) => show({ days, from: '', to: '' })}
          data={[
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
          ]}
        />
      </Group>
      <FilterBar
        filters={isStaff ? [...filters, partnerFilter] : filters}
        search={search}
        onChange={show}
        onClear={() => show({ from: '', to: '', account: '', partner: '' })}
      />
      <Ready query={query}>
        {(data) => (
          <>
            <FigureCharts data={data} span={span} />
            <FigureTables data={data} shown={shown} />
          </>
        )}
      </Ready>
    </Stack>
  );
}

/** The days that the URL names, or the last 30, at least one. */
function spanOf({ from = '', to = '', days = '30' }: Search): string[] {
  const last = Date.parse(to) || serverNow();
  const requested = Date.parse(from) ? Math.floor((last - Date.parse(from)) / dayMs) + 1 : Number(days) || 30;
  const count = Math.min(Math.max(requested, 1), daysMax);
  return Array.from({ length: count }, (_, index) => dayText(last - (count - 1 - index) * dayMs));
}

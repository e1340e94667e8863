import { Group, SegmentedControl, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../graph/ask.ts';
import { serverNow } from '../graph/server-time.ts';
import { useMode } from '../shell/mode.ts';
import { Ready } from './detail-page.tsx';
import { FigureCharts, figuresDocument } from './figure-charts.tsx';

const dayMs = 86_400_000;
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** What was paid, approved and refused in the last days. Days are those of UTC. */
export function Figures() {
  const mode = useMode();
  const [days, setDays] = useState(30);
  const now = serverNow();
  const span = Array.from({ length: days }, (_, index) => dayText(now - (days - 1 - index) * dayMs));
  const [from = '', to = from] = [span[0], span.at(-1)];
  const query = useQuery({
    queryKey: ['figures', mode, from, to],
    queryFn: ({ signal }) => ask(figuresDocument, { mode, from, to }, { signal }),
    refetchInterval: 60_000,
  });
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2} size="h4">
          What was charged
        </Title>
        <SegmentedControl
          size="xs"
          aria-label="Span"
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          data={[
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
          ]}
        />
      </Group>
      <Ready query={query}>{(data) => <FigureCharts data={data} span={span} />}</Ready>
    </Stack>
  );
}

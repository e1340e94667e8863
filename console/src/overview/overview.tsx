import { Stack, Title } from '@mantine/core';
import { usePageTitle } from '../ui/page-title.ts';
import { Figures } from './figures.tsx';
import { NeedsAttention } from './needs-attention.tsx';

/** What needs attention, and how business is. */
export function Overview() {
  usePageTitle('Overview');
  return (
    <Stack>
      <Title order={1} size="h2">
        Overview
      </Title>
      <NeedsAttention />
      <Figures />
    </Stack>
  );
}

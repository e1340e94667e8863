import { Stack, Title } from '@mantine/core';
import { usePageTitle } from '../ui/page-title.ts';
import { Figures } from './figures.tsx';
import { NeedsAttention } from './needs-attention.tsx';

/** How business is, and what needs attention. */
export function Overview() {
  usePageTitle('Overview');
  return (
    <Stack>
      <Title order={1} size="h2">
        Overview
      </Title>
      <Figures>
        <NeedsAttention />
      </Figures>
    </Stack>
  );
}

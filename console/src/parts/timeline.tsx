import { Group, Text, Timeline } from '@mantine/core';
import type { ReactNode } from 'react';
import { Time } from './time.tsx';

export interface Moment {
  key: string;
  at: string;
  title: ReactNode;
  detail?: ReactNode;
  color?: string;
}

/** What happened, oldest first, from several sources. */
export function Moments({ of }: { of: readonly Moment[] }) {
  const sorted = of.toSorted((a, b) => a.at.localeCompare(b.at));
  return (
    <Timeline bulletSize={14} lineWidth={2} active={sorted.length}>
      {sorted.map(({ key, at, title, detail, color = 'indigo' }) => (
        <Timeline.Item key={key} color={color} title={title}>
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              <Time at={at} />
            </Text>
            <Text size="xs">{detail}</Text>
          </Group>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

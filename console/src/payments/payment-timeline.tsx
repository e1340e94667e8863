import { Group, Text, Timeline } from '@mantine/core';
import type { ReactNode } from 'react';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { PathLink } from '../ui/detail-page.tsx';
import { Money } from '../ui/money.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

export const PaymentMoments = graphql(`
  fragment PaymentMoments on Payment {
    transactions { id type status amount currency failureCode processorReference createdAt }
    refunds(first: 100) { id amount currency status reason createdAt }
    disputes(first: 100) { id amount currency status reason evidenceDueAt createdAt }
    events(first: 100) { id type sequence createdAt }
    auditEntries(first: 100) @include(if: $isAuditor) { id action actorKind actorEmail outcome reason refusal at }
  }
`);

/** Attempts, refunds, disputes, events and what operators did, in one order. */
export function momentsOf(view: ResultOf<typeof PaymentMoments>): Moment[] {
  const { transactions, refunds, disputes, events, auditEntries } = view;
  return [
    // A refund has a row of its own, with its reason.
    ...transactions
      .filter(({ type }) => type !== 'refund')
      .map((row) => ({
        key: row.id,
        at: row.createdAt,
        title: (
          <>
            <Words of={row.type} /> of <Money {...row} /> <Status of={row.status} />
          </>
        ),
        detail: row.failureCode ?? row.processorReference ?? '',
        color: row.failureCode ? 'red' : 'green',
      })),
    ...oldestFirst(refunds).map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: (
        <>
          refund of <Money {...row} /> <Status of={row.status} />
        </>
      ),
      detail: row.reason ?? '',
    })),
    ...oldestFirst(disputes).map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: (
        <>
          <PathLink path={`/disputes/${row.id}`}>dispute</PathLink> of <Money {...row} /> <Status of={row.status} />
        </>
      ),
      detail: <Words of={row.reason} />,
      color: 'red',
    })),
    ...oldestFirst(events).map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: `Event ${row.type}`,
      detail: <PathLink path={`/events/${row.id}`}>View</PathLink>,
      color: 'gray',
    })),
    ...oldestFirst(auditEntries).map((row) => ({
      key: row.id,
      at: row.at,
      title: `${row.action} by ${row.actorEmail ?? (row.actorKind === 'user' ? 'internal staff' : 'an API key')}`,
      detail: row.refusal ?? row.reason ?? row.outcome,
      color: 'yellow',
    })),
  ];
}

/** The latest rows of a link, which come newest first. */
const oldestFirst = <Row,>(rows: readonly Row[] | null | undefined): readonly Row[] => (rows ?? []).toReversed();

interface Moment {
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
      {sorted.map(({ key, at, title, detail, color = 'brand' }) => (
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

import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { humanize } from './format.ts';

const good = ['succeeded', 'active', 'approved', 'delivered', 'won', 'paid', 'captured', 'verified', 'success'];
const bad = ['failed', 'declined', 'dead', 'lost', 'rejected', 'past_due', 'suspended', 'offboarded', 'denied'];
const waiting = [
  'pending',
  'processing',
  'requires_action',
  'under_review',
  'submitted',
  'needs_response',
  'trialing',
  'incomplete',
  'invited',
];

/** A value of the platform in words, where it stands alone: `Lost card`. */
export function Words({ of }: { of: string | null }) {
  return of && <span className="words">{humanize(of)}</span>;
}

/** A status in words, or its detail where that says more. The color repeats what the words say. */
export function Status({ of, detail }: { of: string; detail?: string | null | undefined }) {
  let color = 'gray';
  if (good.includes(of)) color = 'green';
  else if (bad.includes(of)) color = 'red';
  else if (waiting.includes(of)) color = 'yellow';
  return (
    <Badge variant="light" color={color} className="status">
      {humanize(detail ?? of)}
    </Badge>
  );
}

/** The outcome of an attempt in the audit log, why it was refused, and the reason that its actor gave. */
export function Outcome({ of }: { of: { outcome: string; refusal: string | null; reason: string | null } }) {
  return (
    <>
      <Status of={of.outcome} /> {of.refusal}
      <Below>{of.reason}</Below>
    </>
  );
}

/** A second line of a cell. */
export function Below({ children }: { children: ReactNode }) {
  if (!children) return null;
  return (
    <Text component="div" size="xs" c="dimmed" className="below">
      {children}
    </Text>
  );
}

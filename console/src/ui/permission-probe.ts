import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { humanize } from './format.ts';

interface Permission {
  ok: boolean;
  reason: string | null;
}

/** A question to the access policy of the platform: whether an action would be refused, and why. */
export interface Probe {
  key: readonly unknown[];
  ask(signal: AbortSignal): Promise<Permission | null>;
}

const sentences: Record<string, string> = {
  caller_lacks_role: 'Your role does not allow this.',
  self_assignment_forbidden: 'You cannot change your own roles.',
  other_partner: 'This staff list belongs to another partner.',
  target_in_other_partner: 'This person belongs to another partner.',
  target_is_internal_staff: 'This person is internal staff.',
  target_is_org_owner: 'This person owns the organization of a merchant.',
  partner_offboarded: 'The partner is offboarded.',
  second_factor_required: 'Requires two-factor authentication. Set it up in Profile.',
};

/** What the dialog of the action asks for, so that the button stays open. */
const askedForLater = 'second_factor_too_old';

/** Asks the probe when the person comes near the button. Why it is refused; undefined if it is not, or not known yet. */
export function useProbe(probe: Probe | undefined): { why: string | undefined; comeNear(): void } {
  const [isNear, setIsNear] = useState(false);
  const { data } = useQuery({
    queryKey: ['probe', ...(probe?.key ?? [])],
    queryFn: ({ signal }) => probe?.ask(signal) ?? null,
    enabled: isNear && probe !== undefined,
    staleTime: 30_000,
  });
  const { reason } = data ?? {};
  const why = reason && reason !== askedForLater ? (sentences[reason] ?? `Refused: ${humanize(reason)}.`) : undefined;
  return { why, comeNear: () => setIsNear(true) };
}

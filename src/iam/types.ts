import { platformRoleNames } from '../auth/roles.ts';
import { builder } from '../graph/builder.ts';
import type { Decision } from './policy.ts';

export const PlatformRole = builder.enumType('PlatformRole', {
  description: 'What a person may do. A role counts only in the scope it is defined for.',
  values: {
    superadmin: { description: 'Without a partner: everything.' },
    hubadmin: { description: "Without a partner: day-to-day operations and every partner's roster." },
    platformpaymentAdmin: { description: 'An older name of hubadmin.' },
    accountmanager: { description: "Reads: everything without a partner, the partner's own with one." },
    partneradmin: { description: 'With a partner: runs its roster and its keys.' },
    partnerstaff: { description: 'With a partner: a teammate. No longer given.' },
  } satisfies Record<(typeof platformRoleNames)[number], object>,
});

export const MembershipStatus = builder.enumType('MembershipStatus', {
  description: 'Where a membership stands.',
  values: {
    pending: { description: 'Invited.' },
    active: { description: 'Accepted.' },
    revoked: { description: 'Ended; can be invited again.' },
  } as const,
});

export const Permission = builder.objectRef<Decision>('Permission').implement({
  description: 'Whether something is permitted, and if not, why not.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Whether it is.' }),
    reason: t.string({
      nullable: true,
      description: 'Why not, as a word: `caller_lacks_role`, `other_partner`, …',
      resolve: (decision) => (decision.ok ? null : decision.reason),
    }),
  }),
});

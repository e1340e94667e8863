import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PartnerFacts } from '../../src/auth/decisions.ts';
import { platformRoleNames } from '../../src/auth/roles.ts';
import { canAdministerPlatform, canAssignTgdRole, type Person } from '../../src/iam/policy.ts';
import { refusalToDecide, refusalToWithdraw } from '../../src/iam/second-person.ts';
import { callers, cells } from './matrix.ts';

const policies = { staticPolicies: readFileSync(join(import.meta.dirname, 'policy.cedar'), 'utf8') };
const offboarded = 'oldco';

interface Question {
  person: Person;
  action: string;
  /** The partner the operation changes, or the partner of the person it changes. */
  scope: string | null;
  targetId: string;
  added?: readonly string[];
  /** The addresses of the caller and of whom it is about. */
  emails?: { own: string; target: string };
}

function cedarAllows({ person, action, scope, targetId, added = [], emails }: Question): boolean {
  const answer = isAuthorized({
    principal: { type: 'User', id: person.userId },
    action: { type: 'Action', id: action },
    resource: { type: 'Place', id: scope ?? 'none' },
    context: { person: targetId, added: [...added], email: emails?.target ?? '' },
    policies,
    entities: [
      {
        uid: { type: 'User', id: person.userId },
        attrs: {
          person: person.userId,
          email: emails?.own ?? '',
          roles: [...person.platformRoles],
          scope: person.whitelabelOwnership ?? '',
          partnerOffboarded: person.whitelabelOwnership === offboarded,
        },
        parents: [],
      },
      { uid: { type: 'Place', id: scope ?? 'none' }, attrs: { scope: scope ?? '' }, parents: [] },
    ],
  });
  if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors));
  expect(answer.response.diagnostics.errors).toEqual([]);
  return answer.response.decision === 'allow';
}

describe('Cedar agrees with every cell of the matrix', () => {
  test.each(
    cells.filter(({ caller, expected }) => expected !== '—' && (caller in callers || caller === 'self')),
  )('$operation by $caller: $expected', ({ operation, caller, expected }) => {
    const isRoster = operation.startsWith('staff/') || operation === 'permissions/manage-partner-staff';
    const name = caller === 'self' ? (isRoster ? 'paX' : 'super') : caller;
    const person: Person = { userId: name, ...(callers[name] ?? { platformRoles: [], whitelabelOwnership: null }) };
    const isSelf = caller === 'self';
    const scope = operation.startsWith('internal-users/') || (isSelf && !isRoster) ? null : 'acme';
    const added = operation === 'permissions/assign-role' && !isSelf ? ['partneradmin'] : [];
    // An update that sets the status to archived counts as archiving.
    const action = operation === 'partners-admin/update to offboarded' ? 'partners-admin/archive' : operation;
    expect(cedarAllows({ person, action, scope, targetId: isSelf ? name : 'mate', added })).toBe(
      ['✔', '200', '200∅', '404'].includes(expected),
    );
  });
});

test('and with the policy, for any caller, target and roles', () => {
  const roles = fc.uniqueArray(fc.constantFrom(...platformRoleNames), { maxLength: 4 });
  const person = fc.record({
    userId: fc.constantFrom('user_1', 'user_2'),
    platformRoles: roles,
    whitelabelOwnership: fc.constantFrom(null, 'acme', 'globex', offboarded),
  });
  const partnerOf = ({ whitelabelOwnership: slug }: Person): PartnerFacts =>
    slug === null ? null : { slug, status: slug === offboarded ? 'offboarded' : 'active' };
  fc.assert(
    fc.property(person, person, roles, (caller, other, requestedRoles) => {
      const target = other.userId === caller.userId ? caller : other;
      const added = requestedRoles.filter((role) => !target.platformRoles.includes(role));
      const ours = canAssignTgdRole(caller, partnerOf(caller), {
        targetUserId: target.userId,
        target,
        requestedRoles,
        partnerOfScope: null,
      });
      expect(
        cedarAllows({
          person: caller,
          action: 'permissions/assign-role',
          scope: target.whitelabelOwnership,
          targetId: target.userId,
          added,
        }),
      ).toBe(ours.ok);
    }),
    { numRuns: 1_000 },
  );
});

describe('and with who decides about a refund that waits for a second person', () => {
  const emails = { own: 'own@example.com', other: 'other@example.com' };
  const decisions = {
    'refund-requests/approve': refusalToDecide,
    'refund-requests/reject': refusalToDecide,
    'refund-requests/withdraw': refusalToWithdraw,
    'refund-limits/set': (person: Person) => (canAdministerPlatform(person).ok ? null : 'caller_lacks_role'),
  };
  const requesters = [
    ['another person', 'other', emails.other],
    ['the caller', 'caller', emails.own],
    ['the caller, under an earlier address', 'caller', emails.other],
    ['an account with the address of the caller', 'other', emails.own],
  ] as const;
  const all = Object.entries(decisions).flatMap(([action, decide]) =>
    Object.keys(callers).flatMap((caller) =>
      requesters.map(([requested, userId, email]) => ({ action, decide, caller, requested, userId, email })),
    ),
  );
  test.each(all)('$action by $caller, asked for by $requested', ({ action, decide, caller, userId, email }) => {
    const access = callers[caller] ?? { platformRoles: [], whitelabelOwnership: null };
    const person: Person = { userId: 'caller', ...access };
    const refusal = decide({ ...person, email: emails.own }, { userId, email });
    expect(
      cedarAllows({
        person,
        action,
        scope: person.whitelabelOwnership,
        targetId: userId,
        emails: { own: emails.own, target: email },
      }),
    ).toBe(refusal === null);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Decision, PartnerFacts } from '../../src/auth/decisions.ts';
import { platformRoleNames } from '../../src/auth/roles.ts';
import { type ScopeMap, scopesAllow } from '../../src/auth/scopes.ts';
import { readableScope } from '../../src/auth/visibility.ts';
import {
  canAdministerPlatform,
  canAssignTgdRole,
  canBeInvited,
  canChangeAccessOf,
  canHoldRoles,
  canManagePartnerStaff,
  canReadPartners,
  canUpdatePartner,
  disclosableReason,
  type Person,
  rolesAfterMove,
  type StaffAction,
  staffActions,
} from '../../src/iam/policy.ts';
import { callers, cells } from './matrix.ts';

const partners: Record<string, PartnerFacts> = {
  acme: { slug: 'acme', status: 'active' },
  globex: { slug: 'globex', status: 'active' },
  oldco: { slug: 'oldco', status: 'offboarded' },
};
const mate: Person = { userId: 'user_mate', platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' };
const colleague: Person = { userId: 'user_colleague', platformRoles: ['accountmanager'], whitelabelOwnership: null };

function personOf(caller: string): Person {
  const access = callers[caller];
  if (!access) throw new Error(`${caller} is no person`);
  return { userId: `user_${caller}`, ...access };
}

const partnerOf = (person: Person): PartnerFacts =>
  person.whitelabelOwnership === null ? null : (partners[person.whitelabelOwnership] ?? null);

/** The policy's result for a cell; `self` is its own target. */
function decide(operation: string, person: Person, isSelf: boolean): Decision {
  const own = partnerOf(person);
  const target = isSelf ? person : mate;
  const staff = (action: StaffAction) =>
    canManagePartnerStaff(person, 'acme', own, { action, targetUserId: target.userId });
  const administer = (of: Person): Decision => {
    const may = canAdministerPlatform(person);
    return may.ok ? canChangeAccessOf(person, of.userId) : may;
  };
  switch (operation) {
    case 'permissions/assign-role':
      return canAssignTgdRole(person, own, {
        targetUserId: target.userId,
        target,
        requestedRoles: ['partneradmin'],
        partnerOfScope: null,
      });
    case 'permissions/manage-partner-staff':
      return staff('revoke');
    case 'partners-admin/create':
    case 'partners-admin/archive':
    case 'orgs/assign-to-partner':
      return canAdministerPlatform(person);
    case 'partners-admin/update':
      return canUpdatePartner(person, {});
    case 'partners-admin/update to offboarded':
      return canUpdatePartner(person, { status: 'offboarded' });
    case 'internal-users/set-roles':
    case 'internal-users/set-partner-scope':
      return administer(isSelf ? person : colleague);
    case 'users/list':
    case 'users/find': {
      const scope = readableScope(person, own);
      return scope.ok ? { ok: true } : scope;
    }
    default:
      return operation.startsWith('staff/')
        ? staff(operation.slice('staff/'.length) as StaffAction)
        : canReadPartners(person);
  }
}

describe('every cell of the matrix', () => {
  const people = cells.filter(({ caller, expected }) => expected !== '—' && (caller in callers || caller === 'self'));
  test.each(people)('$operation by $caller: $expected', ({ operation, caller, expected }) => {
    const isSelf = caller === 'self';
    const person = personOf(
      isSelf
        ? operation.startsWith('staff/') || operation === 'permissions/manage-partner-staff'
          ? 'paX'
          : 'super'
        : caller,
    );
    const decision = decide(operation, person, isSelf);
    // 404 and an empty find depend on what exists, after the policy has allowed the caller.
    expect(decision.ok).toBe(['✔', '200', '200∅', '404'].includes(expected));
  });
});

describe('reasons', () => {
  const paX = personOf('paX');
  const hub = personOf('hub');
  const superadmin = personOf('super');
  const ask = (person: Person, target: Person | null, requestedRoles: string[], requestedScope?: string | null) =>
    canAssignTgdRole(person, partnerOf(person), {
      targetUserId: target?.userId ?? 'user_unknown',
      target,
      requestedRoles,
      requestedScope,
      partnerOfScope:
        partners[(requestedScope === undefined ? target?.whitelabelOwnership : requestedScope) ?? ''] ?? null,
    });

  test.each<[string, Decision, string | null]>([
    ['a partneradmin gives partneradmin to a teammate', ask(paX, mate, ['partneradmin']), null],
    ['a partneradmin gives hubadmin', ask(paX, mate, ['hubadmin']), 'role_not_assignable'],
    ["a superadmin gives hubadmin to a partner's person", ask(superadmin, mate, ['hubadmin']), 'role_not_assignable'],
    ['a superadmin gives it while detaching', ask(superadmin, mate, ['hubadmin'], null), null],
    [
      'a superadmin moves a user to an offboarded partner',
      ask(superadmin, mate, ['partneradmin'], 'oldco'),
      'partner_offboarded',
    ],
    [
      'a superadmin gives a role at an offboarded partner',
      ask(superadmin, { ...mate, whitelabelOwnership: 'oldco' }, ['partneradmin']),
      'partner_offboarded',
    ],
    [
      'a superadmin detaches a user of an offboarded partner',
      ask(superadmin, { ...mate, whitelabelOwnership: 'oldco' }, [], null),
      null,
    ],
    [
      'a superadmin gives partneradmin without a scope',
      ask(superadmin, colleague, ['partneradmin']),
      'role_requires_partner_scope',
    ],
    ['a superadmin gives partneradmin with a scope', ask(superadmin, colleague, ['partneradmin'], 'globex'), null],
    [
      'a superadmin names a partner that does not exist',
      ask(superadmin, colleague, ['partneradmin'], 'nowhere'),
      'partner_not_found',
    ],
    ['a hubadmin moves a user', ask(hub, mate, ['partneradmin'], 'globex'), 'scope_change_not_allowed'],
    ['a hubadmin detaches a user', ask(hub, mate, ['accountmanager'], null), 'scope_change_not_allowed'],
    ['a hubadmin changes internal staff', ask(hub, colleague, ['accountmanager']), 'caller_lacks_role'],
    ['a partneradmin asks for another partner', ask(paX, mate, ['partneradmin'], 'globex'), 'other_partner'],
    [
      "a partneradmin asks for another partner's person",
      ask(paX, { ...mate, userId: 'user_y', whitelabelOwnership: 'globex' }, ['partneradmin']),
      'target_not_found',
    ],
    ['a partneradmin names an unknown user', ask(paX, null, ['partneradmin']), 'target_not_found'],
    ['a superadmin names an unknown user', ask(superadmin, null, ['hubadmin']), 'target_not_found'],
    ['partnerstaff is no longer given', ask(superadmin, mate, ['partnerstaff']), 'role_not_assignable'],
    [
      'partnerstaff that is there may stay',
      ask(superadmin, { ...mate, platformRoles: ['partnerstaff'] }, ['partnerstaff', 'accountmanager']),
      null,
    ],
    ['an internal role left over may stay', ask(paX, { ...mate, platformRoles: ['hubadmin'] }, ['hubadmin']), null],
    ['all roles may be taken', ask(paX, mate, []), null],
    ["one's own roles", ask(superadmin, superadmin, []), 'self_assignment_forbidden'],
    [
      "an offboarded partner's admin",
      canManagePartnerStaff(
        { userId: 'u', platformRoles: ['partneradmin'], whitelabelOwnership: 'oldco' },
        'oldco',
        partners['oldco'] ?? null,
      ),
      'partner_offboarded',
    ],
    ['a hubadmin cleans up there', canManagePartnerStaff(hub, 'oldco', null), null],
  ])('%s', (_what, decision, reason) => {
    expect(decision).toMatchObject(reason === null ? { ok: true } : { ok: false, reason });
    // A refused user sees which role is required.
    expect('takes' in decision).toBe(reason === 'caller_lacks_role');
  });

  test('people who cannot be invited, and the callers who see the reason', () => {
    const withoutRoles = { platformRoles: [], whitelabelOwnership: null, isOrgOwner: false };
    expect(canBeInvited(withoutRoles, 'acme')).toEqual({ ok: true });
    expect(
      canBeInvited({ ...withoutRoles, whitelabelOwnership: 'acme', platformRoles: ['partneradmin'] }, 'acme'),
    ).toEqual({
      ok: true,
    });
    expect(canBeInvited({ ...withoutRoles, whitelabelOwnership: 'globex' }, 'acme')).toEqual({
      ok: false,
      reason: 'target_in_other_partner',
    });
    expect(canBeInvited({ ...withoutRoles, platformRoles: ['hubadmin'] }, 'acme')).toEqual({
      ok: false,
      reason: 'target_is_internal_staff',
    });
    expect(canBeInvited({ ...withoutRoles, isOrgOwner: true }, 'acme')).toEqual({
      ok: false,
      reason: 'target_is_org_owner',
    });
    expect(disclosableReason(hub, 'target_is_org_owner')).toBe('target_is_org_owner');
    expect(disclosableReason(paX, 'target_is_org_owner')).toBe('email_not_invitable');
    expect(disclosableReason(paX, 'already_on_roster')).toBe('already_on_roster');
  });
});

describe('for any person, target, roles and scope', () => {
  const roles = fc.uniqueArray(fc.constantFrom(...platformRoleNames), { maxLength: 4 });
  const person = fc.record({
    userId: fc.constantFrom('user_1', 'user_2', 'user_3'),
    platformRoles: roles,
    whitelabelOwnership: fc.constantFrom(null, 'acme', 'globex', 'oldco'),
  });

  /**
   * Whether the two mutations that write roles would reject it, composed from their own checks: undefined for 200 or
   * 409.
   */
  function mutationRefuses(caller: Person, target: Person | null, requested: readonly string[]): boolean {
    const session = {
      kind: 'session',
      email: '',
      sessionId: '',
      impersonatorId: null,
      partnerId: null,
      ...caller,
    } as const;
    const scope = target?.whitelabelOwnership ?? null;
    const viaRoster = (slug: string): boolean => {
      const open: ScopeMap = { admin: true };
      if (!scopesAllow(open, session)) return true;
      if (
        !canManagePartnerStaff(caller, slug, partnerOf(caller), {
          action: 'set-roles',
          targetUserId: target?.userId ?? 'user_unknown',
        }).ok
      )
        return true;
      return target?.whitelabelOwnership !== slug || !canHoldRoles(slug, target.platformRoles, requested).ok;
    };
    if (scope !== null) return viaRoster(scope);
    if (!scopesAllow({ superadmin: true }, session) || !canAdministerPlatform(caller).ok) return true;
    if (target === null || !canChangeAccessOf(caller, target.userId).ok) return true;
    return !canHoldRoles(null, target.platformRoles, requested).ok;
  }

  test('the probe returns ok exactly when the mutation is not 403, 404 or 422', () => {
    fc.assert(
      fc.property(person, fc.option(person, { nil: null }), roles, (caller, other, requested) => {
        // Equal ids are the same person.
        const target = other?.userId === caller.userId ? caller : other;
        const probe = canAssignTgdRole(caller, partnerOf(caller), {
          targetUserId: target?.userId ?? 'user_unknown',
          target,
          requestedRoles: requested,
          partnerOfScope: null,
        });
        expect(probe.ok).toBe(!mutationRefuses(caller, target, requested));
      }),
      { numRuns: 5_000 },
    );
  });

  test('no caller may change themselves, and no role is given that the caller may not assign', () => {
    fc.assert(
      fc.property(person, person, roles, fc.constantFrom(...staffActions), (caller, target, requested, action) => {
        const request = {
          targetUserId: target.userId,
          target: target.userId === caller.userId ? caller : target,
          requestedRoles: requested,
          partnerOfScope: null,
        };
        const decision = canAssignTgdRole(caller, partnerOf(caller), request);
        if (target.userId === caller.userId) expect(decision.ok).toBe(false);
        if (decision.ok)
          expect(
            requested.filter(
              (role) =>
                !request.target.platformRoles.includes(role) &&
                (role === 'partnerstaff' || (role === 'partneradmin' && request.target.whitelabelOwnership === null)),
            ),
          ).toEqual([]);
        if (action !== 'resend-invitation')
          expect(
            canManagePartnerStaff(caller, 'acme', partnerOf(caller), { action, targetUserId: caller.userId }).ok,
          ).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  test('leaving a partner for none removes every role, and any other move keeps them', () => {
    fc.assert(
      fc.property(roles, (held) => {
        expect(rolesAfterMove(held, 'acme', null)).toEqual([]);
        expect(rolesAfterMove(held, 'acme', 'globex')).toEqual(held);
        expect(rolesAfterMove(held, null, 'globex')).toEqual(held);
        expect(rolesAfterMove(held, null, null)).toEqual(held);
      }),
    );
  });
});

import { expect, test } from 'vitest';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { signedIn } from '../people.ts';

const clock = manualClock(new Date());
const platform = await usePlatform({ clock });

test('without the setting, 200 for what gives the most power, however old the session, and without a second factor', async () => {
  const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
  clock.advance(3_600_000);
  const { errors } = await superadmin.graphql(
    'mutation { setRefundLimit(mode: live, currency: "CHF", amount: 900, reason: "new rule") { amount } }',
  );
  expect(errors).toBeUndefined();
  const target = await signedIn(platform, { platformRoles: ['accountmanager'] });
  const probe = await superadmin.iam('/permissions/assign-role', {
    targetUserId: target.id,
    requestedRoles: ['hubadmin'],
  });
  expect(probe.body).toEqual({ ok: true });
  const { status } = await superadmin.iam('/internal-users/set-roles', { userId: target.id, roles: ['hubadmin'] });
  expect(status).toBe(200);
});

import { itemsOf, queries } from '../../domains/accounts/kyb/people.ts';
import type { SignedIn } from '../../iam/people.ts';
import type { ConsoleWorld } from '../console.ts';
import { seedPartner } from '../seed.ts';
import { type ActionCase, does } from './action-case.ts';

export async function ofAccounts({ partner }: ConsoleWorld, other: SignedIn): Promise<ActionCase[]> {
  const [suspended, active, planned, closed] = await Promise.all([
    partner.account('Suspended Shop'),
    partner.account('Active Shop'),
    partner.account('Planned Shop'),
    partner.account('Closing Shop'),
  ]);
  await does(other, `suspendAccount(platformAccountId: "${suspended.id}", reason: "late") { id }`);
  const toStandard = (id: string) => () =>
    does(other, `setAccountPlan(platformAccountId: "${id}", plan: standard) { id }`);
  const differs = /Plan changed from premium to standard/;
  return [
    {
      mutation: 'ActivateAccount',
      name: 'Activate',
      path: `/test/accounts/${suspended.id}`,
      meanwhile: { happens: toStandard(suspended.id), says: differs },
    },
    {
      mutation: 'SuspendAccount',
      name: 'Suspend',
      path: `/test/accounts/${active.id}`,
      meanwhile: { happens: toStandard(active.id), says: differs },
    },
    {
      mutation: 'SetPlan',
      name: 'Change plan',
      path: `/test/accounts/${planned.id}`,
      meanwhile: {
        happens: () => does(other, `suspendAccount(platformAccountId: "${planned.id}", reason: "late") { id }`),
        says: /Status changed from active to suspended/,
      },
    },
    {
      mutation: 'CloseAccount',
      name: 'Close account',
      path: `/test/accounts/${closed.id}`,
      meanwhile: { happens: toStandard(closed.id), says: differs },
    },
  ];
}

export async function ofKyb({ platform, partner }: ConsoleWorld, other: SignedIn): Promise<ActionCase[]> {
  const live = await seedPartner(platform, 'live', partner.id);
  const submitted = async (legalName: string): Promise<string> => {
    const { id } = await live.api.ok('/accounts', { legalName });
    await live.api.ok(`/accounts/${id}/kyb/submit`, itemsOf());
    return id;
  };
  const [revealed, approved, rejected, accepting, refusing] = await Promise.all(
    ['Revealed Ltd', 'Approved Ltd', 'Rejected Ltd', 'Accepted Ltd', 'Refused Ltd'].map(submitted),
  );
  const accepted = (id: string | undefined) => async () => {
    const variables = { id, code: 'business.legal_name', decision: 'approved' };
    const { errors } = await other.graphql(queries.review, variables);
    if (errors) throw new Error(JSON.stringify(errors));
  };
  const differs = / changed from submitted to approved/;
  return [
    {
      mutation: 'RevealKyb',
      name: 'Reveal values',
      path: `/live/kyb/${revealed}`,
    },
    {
      mutation: 'ApproveKyb',
      name: 'Approve',
      path: `/live/kyb/${approved}`,
      meanwhile: { happens: accepted(approved), says: differs },
    },
    {
      mutation: 'RejectKyb',
      name: 'Reject',
      path: `/live/kyb/${rejected}`,
      meanwhile: { happens: accepted(rejected), says: differs },
    },
    { mutation: 'ReviewKyb', name: 'Approve requirement', path: `/live/kyb/${accepting}` },
    { mutation: 'ReviewKyb', name: 'Reject requirement', path: `/live/kyb/${refusing}` },
  ];
}

export async function ofBlockRules({ platform, partner }: ConsoleWorld): Promise<ActionCase[]> {
  const account = await partner.account('Careful Shop');
  await account.api.ok('/block-rules', { name: 'Old rule', email: 'old@example.com' });
  const { payment } = await account.charge();
  const { customerId } = await platform.services.prisma.payment.findUniqueOrThrow({
    where: { id: `${payment['id']}` },
  });
  const list = `/test/block-rules?platformAccountId=${account.id}`;
  return [
    {
      mutation: 'CreateBlockRule',
      name: 'Create block rule',
      path: list,
      typed: { Name: 'A thief', 'Email address': 'thief@example.com' },
    },
    { mutation: 'DeleteBlockRule', name: 'Delete', path: list, row: 'Old rule' },
    { mutation: 'BlockCharges', name: 'Block', path: `/test/customers/${customerId}` },
  ];
}

export async function ofTestMode({ partner }: ConsoleWorld, other: SignedIn): Promise<ActionCase[]> {
  const account = await partner.account('Simulated Shop');
  const [processor] = (await account.api.ok('/processors/list', {})).items;
  const clock = await account.api.ok('/test-clocks/create', { name: 'renewals', now: '2026-01-31T10:00:00Z' });
  return [
    {
      mutation: 'SwitchTestProcessor',
      name: 'Simulate failures',
      path: `/test/processors?platformAccountId=${account.id}`,
      typed: { 'Declined, in percent': '100' },
      meanwhile: {
        happens: () =>
          does(other, `updateProcessor(processorId: "${processor.id}", input: { options: { latencyMs: 5 } }) { id }`),
        says: /Simulates changed from no failures to responds after 5 ms/,
      },
    },
    {
      mutation: 'CreateTestClock',
      name: 'Create test clock',
      path: `/test/test-clocks?platformAccountId=${account.id}`,
      typed: { Name: 'a year of tea' },
    },
    {
      mutation: 'AdvanceTestClock',
      name: 'Advance',
      path: `/test/test-clocks/${clock.id}`,
      typed: { 'To (UTC)': '2026-04-10T10:00' },
      meanwhile: {
        happens: () => does(other, `advanceTestClock(testClockId: "${clock.id}", to: "2026-02-03T10:00:00Z") { id }`),
        says: /Clock time changed from Jan 31, .* to Feb 3, /,
      },
    },
  ];
}

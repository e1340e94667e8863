import { createAccount } from '../../src/accounts/operations.ts';
import type { Env } from '../../src/env.ts';
import type { PartnerKeyContext } from '../../src/graph/context.ts';
import type { TravellingClock } from '../../src/kit/clock.ts';
import { write, type Writer } from '../../src/kit/write.ts';
import { approveKyb, rejectKyb, reviewRequirement, submitKyb } from '../../src/kyb/operations.ts';
import { type KybCode, kybCodes, type KybValue } from '../../src/kyb/requirements.ts';
import { contextOf, type Shop } from './tenants.ts';

const hourMs = 3_600_000;

/** What a business of the demo sends. Nobody in it has a name. */
const sent: Readonly<Record<KybCode, KybValue>> = {
  'business.legal_name': 'Demo Merchant Ltd',
  'business.registration_number': 'HRB 000000',
  'business.tax_id': '00-0000000',
  'business.address': { line1: '1 Example Street', city: 'Springfield', postalCode: '00000', country: 'US' },
  'business.website': 'https://shop.example.com',
  'business.mcc': '5999',
  'representative.identity': {
    firstName: 'Demo',
    lastName: 'Representative',
    dateOfBirth: '1980-01-01',
    nationality: 'US',
  },
  'representative.address': { line1: '2 Example Street', city: 'Springfield', postalCode: '00000', country: 'US' },
  'banking.account': { accountHolder: 'Demo Merchant Ltd', iban: 'DE00000000000000000000' },
  'documents.registration_extract': 'https://documents.example.com/extract.pdf',
};

/** Accounts whose KYB stands at each point, brought there by their partner and a reviewer. */
export async function seedKyb(env: Env, at: TravellingClock['at'], shops: readonly Shop[], now: Date): Promise<void> {
  const reviewer: Writer = {
    env,
    actor: { kind: 'system', id: 'demo-seed' },
    requestId: 'demo_seed',
    ip: '127.0.0.1',
    idempotency: null,
    replayed: false,
  };
  const ago = <Result>(hours: number, run: () => Promise<Result>): Promise<Result> =>
    at(new Date(now.getTime() - hours * hourMs), run);
  const [test, abroad, live] = ['demo', 'abroad', 'live'].map((name) => partnerContext(env, shops, name));
  if (!test || !abroad || !live) throw new Error('The demo has these shops.');

  await ago(2_000, () => submit(test.context, test.accountId));
  await ago(2_000, () =>
    submit(abroad.context, abroad.accountId, kybCodes, { ...sent, 'documents.registration_extract': 'reject' }),
  );
  await ago(2_000, () => submit(live.context, live.accountId));
  await ago(1_990, () => write(reviewer, 'approveKyb', (change) => approveKyb(change, live.accountId, null)));

  const open = (legalName: string, country: string) =>
    createAccount(live.context, { legalName, country, externalRef: legalName.toLowerCase().replaceAll(' ', '-') });
  const begun = await ago(30, () => open('Demo Merchant Just Begun', 'FR'));
  await ago(29, () => submit(live.context, begun.id, kybCodes.slice(0, 4)));
  for (const [name, country, hours] of [
    ['Demo Merchant in Review', 'NL', 50],
    ['Demo Merchant Waiting', 'IE', 7],
  ] as const) {
    const { id } = await ago(hours + 1, () => open(name, country));
    await ago(hours, () => submit(live.context, id));
  }
  const mending = await ago(80, () => open('Demo Merchant Sent Back', 'ES'));
  await ago(79, () => submit(live.context, mending.id));
  await ago(20, () =>
    write(reviewer, 'reviewKybRequirement', (change) =>
      reviewRequirement(change, mending.id, {
        code: 'documents.registration_extract',
        decision: 'rejected',
        reason: 'The extract is older than three months.',
      }),
    ),
  );
  await ago(20, () =>
    write(reviewer, 'rejectKyb', (change) => rejectKyb(change, mending.id, 'One document is missing.', null)),
  );
}

function submit(
  context: PartnerKeyContext,
  accountId: string,
  codes: readonly KybCode[] = kybCodes,
  values = sent,
): Promise<unknown> {
  return submitKyb(context, accountId, { items: codes.map((code) => ({ code, value: values[code] })) });
}

/** The partner of a shop's account, in the account's mode: only partners send KYB. */
function partnerContext(
  env: Env,
  shops: readonly Shop[],
  name: string,
): { context: PartnerKeyContext; accountId: string } {
  const caller = shops.find((shop) => shop.name === name)?.caller;
  if (caller?.kind !== 'subKey') throw new Error(`The shop ${name} has a sub-key.`);
  const { platformAccountId: accountId, kind: _kind, ...key } = caller;
  return { context: contextOf(env, { kind: 'partnerKey', ...key }), accountId };
}

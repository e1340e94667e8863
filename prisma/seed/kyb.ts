import type { PartnerTenant } from '../../src/auth/tenancy.ts';
import type { PartnerContext } from '../../src/call/context.ts';
import { createAccount } from '../../src/domains/accounts/change-account.ts';
import { type KybCode, type KybValue, kybCodes } from '../../src/domains/accounts/kyb/lifecycle.ts';
import { approveKyb, rejectKyb, reviewRequirement } from '../../src/domains/accounts/kyb/review.ts';
import { submitKyb } from '../../src/domains/accounts/kyb/submit-kyb.ts';
import type { TravelingClock } from '../../src/lib/clock.ts';
import type { Services } from '../../src/services.ts';
import { demoNames } from '../../src/settings/demo-credentials.ts';
import { type Writer, write } from '../../src/unit-of-work/write.ts';
import { contextOf, referenceOf, type Shop } from './tenants.ts';

const hourMs = 3_600_000;

/** What a business of the demo submits. It contains no names of people. */
const formOf = (legalName: string): Readonly<Record<KybCode, KybValue>> => ({
  'business.legal_name': legalName,
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
  'banking.account': { accountHolder: legalName, iban: 'DE00000000000000000000' },
  'documents.registration_extract': 'https://documents.example.com/extract.pdf',
});

/** Accounts in each KYB status, brought there by their partner and a reviewer. */
export async function seedKyb(
  services: Services,
  at: TravelingClock['at'],
  shops: readonly Shop[],
  now: Date,
): Promise<void> {
  const reviewer: Writer = {
    services,
    actor: { kind: 'system', id: 'demo-seed' },
    requestId: 'demo_seed',
    ip: '127.0.0.1',
    idempotency: null,
    answer: { replayed: false },
  };
  const ago = <Result>(hours: number, run: () => Promise<Result>): Promise<Result> =>
    at(new Date(now.getTime() - hours * hourMs), run);
  const [test, abroad] = ['demo', 'abroad'].map((name) => partnerContext(services, shops, name));
  if (!test || !abroad) throw new Error('The demo has these shops.');

  const shop = formOf(demoNames.merchant.legalName);
  await ago(2_000, () => submit(test.context, test.accountId, shop));
  const rejected = { ...formOf('Corner Shop Europe GmbH'), 'documents.registration_extract': 'reject' };
  await ago(2_000, () => submit(abroad.context, abroad.accountId, rejected));
  // In test mode there is no review.
  if (services.config.sandbox) return;
  const live = partnerContext(services, shops, 'live');
  await ago(2_000, () => submit(live.context, live.accountId, shop));
  await ago(1_990, () => write(reviewer, 'approveKyb', (change) => approveKyb(change, live.accountId, null)));

  const open = (legalName: string, country: string) =>
    createAccount(live.context, { legalName, country, externalRef: referenceOf(legalName) });
  const begun = await ago(30, () => open('Left Bank Bakery', 'FR'));
  await ago(29, () => submit(live.context, begun.id, formOf('Left Bank Bakery'), kybCodes.slice(0, 4)));
  for (const [name, country, hours] of [
    ['Canal Bikes B.V.', 'NL', 50],
    ['West Coast Crafts Ltd', 'IE', 7],
  ] as const) {
    const { id } = await ago(hours + 1, () => open(name, country));
    await ago(hours, () => submit(live.context, id, formOf(name)));
  }
  const rejectedForCorrection = await ago(80, () => open('North Market Foods S.L.', 'ES'));
  await ago(79, () => submit(live.context, rejectedForCorrection.id, formOf('North Market Foods S.L.')));
  await ago(20, () =>
    write(reviewer, 'reviewKybRequirement', (change) =>
      reviewRequirement(change, rejectedForCorrection.id, {
        code: 'documents.registration_extract',
        decision: 'rejected',
        reason: 'The extract is older than three months.',
      }),
    ),
  );
  await ago(20, () =>
    write(reviewer, 'rejectKyb', (change) =>
      rejectKyb(change, rejectedForCorrection.id, 'One document is missing.', null),
    ),
  );
}

function submit(
  context: PartnerContext,
  accountId: string,
  values: Readonly<Record<KybCode, KybValue>>,
  codes: readonly KybCode[] = kybCodes,
): Promise<unknown> {
  return submitKyb(context, accountId, { items: codes.map((code) => ({ code, value: values[code] })) });
}

/** The partner of a shop's account, in the account's mode: only partners submit KYB. */
function partnerContext(
  services: Services,
  shops: readonly Shop[],
  name: string,
): { context: PartnerContext; accountId: string } {
  const key = shops.find((shop) => shop.name === name)?.key;
  if (!key?.tenant.platformAccountId) throw new Error(`The shop ${name} has an account of its own.`);
  const { platformAccountId: accountId, partnerId, mode } = key.tenant;
  const tenant: PartnerTenant = { partnerId, mode };
  return { context: contextOf(services, { ...key, tenant }), accountId };
}

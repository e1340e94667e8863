// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startJobs } from '../../src/jobs/jobs.ts';
import { password, signedIn } from '../iam/people.ts';
import { button, type ConsoleWorld, dialog, expectAccessible, heading, startConsoleWorld } from '../support/console.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

test('a person sees their roles and sessions, ends another one, then all others, and stays signed in', {
  timeout: 150_000,
}, async () => {
  const { platform } = world;
  const email = 'many@internal.example';
  const person = await signedIn(platform, { email, platformRoles: ['hubadmin'] });
  const { prisma, identityProvider } = platform.services;
  const { context, page, complaints, open } = await world.windowOf(person);
  const signInAgain = async (userAgent: string) =>
    platform.idp.signIn(email, password, { ip: '203.0.113.7', userAgent });
  await signInAgain('Phone of the train');
  await signInAgain('Laptop at home');
  await signInAgain('Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0.0.0 Safari/537.36 Edg/131.0');
  await signInAgain('Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1');
  await open('/test');
  await page.getByRole('link', { name: 'Profile' }).click();
  await heading(page, 'Profile').waitFor();
  await page.getByText(email).last().waitFor();
  await page.getByText('hubadmin').last().waitFor();
  expect(await page.getByRole('link', { name: /two-factor/ }).getAttribute('href')).toBe('/idp/account');
  await expectAccessible(page);

  await page
    .getByRole('row', { name: /Phone of the train/ })
    .getByRole('button', { name: 'End session' })
    .click();
  await dialog(page).getByRole('button', { name: 'End session' }).click();
  await page.getByText('Phone of the train').waitFor({ state: 'detached' });
  await page.getByText('Laptop at home').waitFor();
  await page.getByText('Edge 131 on Windows').waitFor();
  await page.getByText('Safari 18 on iOS').waitFor();
  await button(page, 'End all other sessions').click();
  await dialog(page).getByRole('button', { name: 'End all other sessions' }).click();
  await page.getByText('Laptop at home').waitFor({ state: 'detached' });
  expect(await identityProvider.listSessions(person.id)).toHaveLength(1);
  await button(page, 'End all other sessions').hover();
  await page.getByRole('tooltip', { name: 'No other sessions.' }).waitFor();
  const audited = await prisma.auditRow.findMany({ where: { actorId: person.id }, orderBy: { sequence: 'asc' } });
  expect(audited.map(({ action }) => action)).toEqual(['endMySession', 'endMyOtherSessions']);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a job is run now with a reason; its latest runs are behind its duration, and readers see why they may not', {
  timeout: 150_000,
}, async () => {
  const { services } = world.platform;
  let runs = 0;
  const jobs = startJobs(
    [
      {
        name: 'hourly',
        everyMs: 3_600_000,
        run: async () => {
          runs++;
          if (runs === 2) throw new Error('the receiver of the test is away');
        },
      },
    ],
    services,
  );
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/test/jobs');
  const row = page.getByRole('row', { name: /^hourly/ });
  await row.getByRole('button', { name: 'Run now' }).click();
  await dialog(page).getByText('hourly runs now').waitFor();
  await dialog(page).getByLabel('Reason').fill('asked for by support');
  await dialog(page).getByLabel('Reason').press('Enter');
  await page.getByText('Run now: failed: the receiver of the test is away.').waitFor();
  expect(runs).toBe(2);
  await row.getByRole('button', { name: /latest runs of hourly/ }).click();
  await dialog(page)
    .getByRole('row', { name: /the receiver of the test is away/ })
    .waitFor();
  expect(await dialog(page).getByRole('row').count()).toBe(3);
  await expectAccessible(page);
  await context.close();

  const reader = await world.windowOf(await world.staff('accountmanager'));
  await reader.open('/test/jobs');
  await button(reader.page, 'Run now').first().hover();
  await reader.page.getByRole('tooltip', { name: /Requires the role superadmin, hubadmin/ }).waitFor();
  await reader.context.close();
  expect(runs).toBe(2);
  expect([...complaints, ...reader.complaints]).toEqual([]);
  await jobs.stop();
  services.jobRuns.clear();
});

test('a subscription is paused until a day and resumed; a superadmin archives a partner only with its slug', {
  timeout: 150_000,
}, async () => {
  const { account, platform } = world;
  const { id: paymentInstrumentId, customerId } = await account.instrument();
  const { prices } = await account.api.ok('/products/create', {
    name: 'Tea club',
    prices: [{ currency: 'USD', amount: 1000, interval: 'month' }],
  });
  const { id } = await account.api.ok('/subscriptions/create', {
    customerId,
    paymentInstrumentId,
    priceId: prices[0].id,
  });
  const { context, page, complaints, open } = await world.windowOf(await world.staff('superadmin'));
  await open(`/test/subscriptions/${id}`);
  await button(page, 'Pause').click();
  await dialog(page)
    .getByLabel('Until')
    .fill(`${new Date().getUTCFullYear() + 1}-01-02T10:00`);
  await dialog(page).getByLabel('Reason').fill('moves house');
  await dialog(page).getByLabel('Reason').press('Enter');
  await heading(page, /paused/).waitFor();
  expect(await platform.services.prisma.subscription.findUniqueOrThrow({ where: { id } })).toMatchObject({
    status: 'paused',
    resumeAt: expect.any(Date),
  });
  await button(page, 'Resume').click();
  await dialog(page).getByLabel('Reason').fill('is back');
  await dialog(page).getByLabel('Reason').press('Enter');
  await heading(page, /active/).waitFor();

  const pastDue = { status: 'past_due', firstFailedAt: new Date(), nextBillingDate: null };
  for (const [actionReason, said] of [
    ['authentication', 'Confirm the payment with the bank, until'],
    ['card_expired', 'Replace the expired card, until'],
  ] as const) {
    await platform.services.prisma.subscription.update({ where: { id }, data: { ...pastDue, actionReason } });
    await page.reload();
    await page.getByText('Required action').waitFor();
    await page.getByText(said).waitFor();
  }

  const { id: partnerId } = await platform.services.prisma.partner.create({
    data: { id: 'par_leaving', slug: 'leaving', name: 'Leaving Ltd', createdAt: new Date(), updatedAt: new Date() },
  });
  await open('/test/partners/leaving');
  await button(page, 'Archive').click();
  await dialog(page).getByLabel('Type leaving to confirm').fill('another');
  await dialog(page).getByLabel('Type leaving to confirm').press('Enter');
  await dialog(page).getByText('Type leaving to confirm.', { exact: true }).waitFor();
  await dialog(page).getByLabel('Type leaving to confirm').fill('leaving');
  await dialog(page).getByLabel('Type leaving to confirm').press('Enter');
  await heading(page, /offboarded/).waitFor();
  const { status } = await platform.services.prisma.partner.findUniqueOrThrow({ where: { id: partnerId } });
  expect(status).toBe('offboarded');
  await expectAccessible(page);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a payment leads to all payments of its card in the account, whichever customer used it', {
  timeout: 90_000,
}, async () => {
  const { account } = world;
  const paid = await account.charge('tok_mastercard');
  await account.charge('tok_mastercard');
  const other = await world.partner.account('Second Shop');
  await other.charge('tok_mastercard');
  const { context, page, complaints, open } = await world.windowOf(await world.ofPartner('accountmanager'));
  const fingerprints = await world.platform.services.prisma.paymentInstrument.findMany({
    where: { payments: { some: { id: { in: [String(paid.payment['id'])] } } } },
  });
  await open(`/test/payments/${paid.payment['id']}`);
  await page.getByRole('link', { name: 'View payments' }).click();
  await heading(page, 'Payments').waitFor();
  expect(new URL(page.url()).searchParams.get('fingerprint')).toBe(fingerprints[0]?.fingerprint);
  await page.getByRole('status').getByText('2 rows', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

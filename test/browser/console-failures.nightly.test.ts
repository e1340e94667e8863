// guards: console src/unit-of-work src/graph/by-caller.ts
import { randomBytes } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleDocuments } from '../bench/console-documents.ts';
import type { SignedIn } from '../iam/people.ts';
import { type ConsoleWorld, dialog, dialogClosed, loseAnswer, startConsoleWorld } from '../support/console.ts';
import type { ActionCase } from '../support/console-actions/action-case.ts';
import { everyAction } from '../support/console-actions/every-action.ts';
import { type SourceDialog, sourceDialogs } from '../support/console-actions/source-dialogs.ts';
import { freePort } from '../support/ports.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const secret = () => randomBytes(32).toString('base64');
const reason = 'typed before 🙂';
let world: ConsoleWorld;
let env: Record<string, string>;
let server: ServerProcess;
let person: SignedIn;
let cases: ActionCase[];
let context: BrowserContext;
/** The page of each case, with its dialog open and filled in. */
const pages = new Map<ActionCase, Page>();

beforeAll(async () => {
  const secrets = { VAULT_KEYS: `test:${secret()}`, FINGERPRINT_KEY: secret(), IDP_SECRET: secret() };
  world = await startConsoleWorld(secrets);
  const port = await freePort();
  env = {
    ...secrets,
    DATABASE_URL: world.platform.databaseUrl,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  person = await world.staff('superadmin');
  [server, cases] = await Promise.all([startServerProcess(env), everyAction(world, person)]);
  // The dialogs of a whole day are opened in a minute.
  await disableRateLimits(world.platform);
});
afterAll(async () => {
  await context?.close();
  await server?.kill();
  await world?.close();
});

test('every mutation of the console is sent by a dialog of the table, and every dialog is in it', () => {
  const isCaseOf =
    ({ mutation, name }: SourceDialog) =>
    (one: ActionCase) =>
      one.mutation === mutation && (name === undefined || one.name === name);
  const dialogs = sourceDialogs();
  expect(dialogs.filter((known) => !cases.some(isCaseOf(known)))).toEqual([]);
  expect(cases.filter((one) => dialogs.filter((known) => isCaseOf(known)(one)).length !== 1)).toEqual([]);
  // Exports have a dialog of their own, and change nothing.
  const mutations = consoleDocuments().filter(
    ({ operation, text }) => operation.operation === 'mutation' && !/\bbegun:/.test(text),
  );
  expect(mutations.length).toBeGreaterThan(40);
  expect(mutations.map(({ name }) => name).sort()).toEqual([...new Set(cases.map(({ mutation }) => mutation))].sort());
});

/** Opens the dialog of each action in a tab of its own, and types into it. */
async function openAll(): Promise<void> {
  const opened = await world.windowOf(person, { url: server.url, reducedMotion: 'reduce' });
  context = opened.context;
  await opened.page.close();
  context.setDefaultTimeout(40_000);
  await forEach(async (one, page) => {
    await page.goto(`${server.url}/console${one.path}`);
    const place = one.row === undefined ? page : page.getByRole('row', { name: one.row });
    await place.getByRole('button', { name: one.name, exact: true }).first().click();
    await fill(page, one);
  });
}

async function fill(page: Page, { typed = {}, path }: ActionCase): Promise<void> {
  await dialog(page).getByRole('heading').waitFor();
  for (const [label, text] of Object.entries(typed))
    if (text === null) await dialog(page).getByLabel(label).check();
    else await dialog(page).getByLabel(label).fill(text);
  if ((await dialog(page).getByLabel('Reason').count()) > 0) await dialog(page).getByLabel('Reason').fill(reason);
  if (path.startsWith('/live')) await dialog(page).getByLabel('Live mode. Type').fill('LIVE');
}

/** Nothing that was typed is lost. */
async function expectTyped(page: Page, { typed = {} }: ActionCase): Promise<void> {
  for (const [label, text] of Object.entries(typed))
    if (text === null) expect(await dialog(page).getByLabel(label).isChecked()).toBe(true);
    else expect(await dialog(page).getByLabel(label).inputValue()).toBe(text);
  const reasons = dialog(page).getByLabel('Reason');
  if ((await reasons.count()) > 0) expect(await reasons.inputValue()).toBe(reason);
}

const send = (page: Page) => dialog(page).locator('button[type=submit]').click();
const alert = (page: Page, text: string | RegExp) => dialog(page).getByRole('alert').getByText(text).first().waitFor();

/** What the person has done, by the audit log. */
const doneBy = () =>
  world.platform.services.prisma.auditRow.count({ where: { actorId: person.id, outcome: 'allowed' } });

/** Runs a step for each action, several at a time, and names every action that fails. */
async function forEach(
  step: (one: ActionCase, page: Page) => Promise<void>,
  some: readonly ActionCase[] = cases,
): Promise<void> {
  for (const wave of [some.filter(({ isLast }) => !isLast), some.filter(({ isLast }) => isLast)])
    await each(step, wave);
}

async function each(step: (one: ActionCase, page: Page) => Promise<void>, some: readonly ActionCase[]): Promise<void> {
  const waiting = [...some];
  const failed: Error[] = [];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const page = pages.get(one) ?? (await context.newPage());
      pages.set(one, page);
      try {
        await step(one, page);
      } catch (error) {
        const shown = (await dialog(page).allInnerTexts()).join().replaceAll(/\n+/g, ' | ');
        failed.push(new Error(`${one.mutation}, ${one.name} at ${one.path}: ${shown}`, { cause: error }));
      }
    }
  };
  // All are of one person: more at once would wait for each other for longer than a call may.
  await Promise.all(Array.from({ length: 8 }, work));
  if (failed.length > 0) throw new AggregateError(failed, failed.map(({ message }) => message).join('\n'));
}

test('session ended, role taken away: each dialog says so, keeps what was typed, and nothing is done', {
  timeout: 300_000,
}, async () => {
  await openAll();
  const done = await doneBy();
  const cookies = await context.cookies();
  await context.clearCookies();
  await forEach(async (one, page) => {
    await send(page);
    await alert(page, 'Your session has ended');
    await expectTyped(page, one);
  });
  await context.addCookies(cookies);
  const { prisma } = world.platform.services;
  const role = (platformRoles: string[]) =>
    prisma.iamUser.update({ where: { idpUserId: person.id }, data: { platformRoles } });
  await role(['accountmanager']);
  await forEach(
    async (one, page) => {
      await send(page);
      await alert(page, 'Your role does not allow this');
      await expectTyped(page, one);
    },
    cases.filter(({ takesNoRole }) => !takesNoRole),
  );
  await role(['superadmin']);
  expect(await doneBy()).toBe(done);
});

test('changed by another user: each dialog says what is different, and nothing is done', {
  timeout: 300_000,
}, async () => {
  const done = await doneBy();
  await forEach(async (one, page) => {
    if (!one.meanwhile) return;
    await one.meanwhile.happens();
    await send(page);
    await alert(page, one.meanwhile.says);
    await expectTyped(page, one);
    if (!one.meanwhile.isOver) return;
    await send(page);
    await alert(page, 'Request failed');
    await expectTyped(page, one);
  });
  expect(await doneBy()).toBe(done);
});

/** A read and a run of a job: each request has its own row in the audit log. */
const recordedEachTime = ['RevealKyb', 'RunJob'];
const going = () => cases.filter(({ meanwhile }) => !meanwhile?.isOver);

test('server killed: each dialog says so and keeps what was typed; started again, it does what was asked once', {
  timeout: 300_000,
}, async () => {
  await server.kill();
  const done = await doneBy();
  await forEach(async (one, page) => {
    await send(page);
    await alert(page, 'No connection');
    await expectTyped(page, one);
  }, going());
  expect(await doneBy()).toBe(done);
  server = await startServerProcess(env);
  await forEach(async (one, page) => {
    const { answer } = await loseAnswer(page);
    await send(page);
    // The alert of the time before may be shown until then.
    expect(await answer).not.toHaveProperty('errors');
    await alert(page, 'No connection');
    await dialog(page).getByText('Retrying is safe').waitFor();
    await expectTyped(page, one);
  }, going());
  const after = await doneBy();
  expect(after - done).toBeGreaterThanOrEqual(going().length);
  const repeat = (some: readonly ActionCase[]) =>
    forEach(async (_one, page) => {
      await send(page);
      await dialogClosed(page);
    }, some);
  await repeat(going().filter(({ mutation }) => !recordedEachTime.includes(mutation)));
  expect(await doneBy()).toBe(after);
  await repeat(going().filter(({ mutation }) => recordedEachTime.includes(mutation)));
});

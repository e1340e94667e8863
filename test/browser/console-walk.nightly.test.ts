// guards: console src/theme test/rest/access-matrix.txt
import { type FieldNode, parse } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignedIn } from '../iam/people.ts';
import { type ConsoleWorld, expectAccessible, heading, links, loaded, startConsoleWorld } from '../support/console.ts';
import { mayUse, menuOf, menuShownBy } from '../support/console-menu.ts';
import { onePageOfEach } from '../support/console-objects.ts';

let world: ConsoleWorld;
let details: { path: string; field: string }[];

beforeAll(async () => {
  world = await startConsoleWorld();
  details = await onePageOfEach(world);
});
afterAll(() => world?.close());

/** Opens every page of the person's menu. None may show a refusal. */
async function walk(page: Page, after: () => Promise<void> = async () => undefined): Promise<void> {
  for (const name of await menuShownBy(page)) {
    await links(page)
      .filter({ hasText: new RegExp(`^${name}$`) })
      .click();
    await heading(page, name).waitFor();
    await expectWhole(page, name);
    await after();
  }
}

async function expectWhole(page: Page, name: string): Promise<void> {
  await loaded(page);
  expect(await page.getByRole('alert').allInnerTexts(), name).toEqual([]);
}

/** The root fields that the page asks for from now on. */
function fieldsAskedBy(page: Page): Set<string> {
  const fields = new Set<string>();
  page.on('request', (request) => {
    if (!request.url().endsWith('/graphql')) return;
    for (const definition of parse(String(request.postDataJSON().query)).definitions)
      if (definition.kind === 'OperationDefinition')
        for (const field of definition.selectionSet.selections) fields.add((field as FieldNode).name.value);
  });
  return fields;
}

/** Looks at the whole menu and at the pages of objects, as a person of this kind. */
async function walkAs(
  kind: string,
  person: SignedIn,
  after: (page: Page) => Promise<void> = async () => undefined,
): Promise<void> {
  const { context, page, complaints, open } = await world.windowOf(person, { reducedMotion: 'reduce' });
  const requested = fieldsAskedBy(page);
  await open('/test');
  expect(await menuShownBy(page)).toEqual(menuOf(kind));
  await walk(page, () => after(page));
  for (const { path, field } of details.filter(({ field }) => mayUse(kind, field))) {
    await open(path);
    await expectWhole(page, path);
    expect(await page.getByText('not found').count(), `${field} at ${path}`).toBe(0);
    await after(page);
  }
  expect([...requested].filter((field) => !mayUse(kind, field))).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
}

test('superadmin opens every page: no finding of axe, no sideways scroll, light at 1280 and dark at 390 pixels', {
  timeout: 240_000,
}, async () => {
  await walkAs('superadmin', await world.staff('superadmin'), expectAccessible);
});

test('accountmanager and partnerManager, who may least, open every page of their menu, and every object', {
  timeout: 120_000,
}, async () => {
  await walkAs('accountmanager', await world.staff('accountmanager'));
  await walkAs('partnerManager', await world.ofPartner('accountmanager'));
});

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { SignedIn } from '../iam/people.ts';
import { type ConsoleWorld, dialog, dialogClosed, heading } from './console.ts';

/** The most clicks that an everyday task takes. */
const clicksMax = 5;

/** What an operator does with a page: every click and every key counts, typing does not. */
export interface Operator {
  page: Page;
  click(target: Locator): Promise<void>;
  /** Follows a link of the page, or of the menu. */
  follow(name: string): Promise<void>;
  goTo(page: string): Promise<void>;
  row(name: string | RegExp): Locator;
  /** Opens the page of a row. */
  openRow(name: string | RegExp): Promise<void>;
  press(key: string): Promise<void>;
  /** Types into a field. What is typed is a name, an amount, a day or a reason, and never an identifier. */
  type(field: Locator, text: string): Promise<void>;
  /** Types into the search, which a key opens, and opens what it found first. */
  search(text: string, first: string | RegExp): Promise<void>;
  /** Types the reason of the dialog, and the word that live mode asks for, and sends it with Enter. */
  send(reason: string | null): Promise<void>;
}

/** Does a task from the overview on, and fails if it took more than five clicks. */
export async function doTask(
  world: ConsoleWorld,
  { as, mode = 'test' }: { as?: SignedIn; mode?: 'test' | 'live' },
  task: (operator: Operator) => Promise<void>,
): Promise<void> {
  const { context, page, complaints, open } = as ? await world.windowOf(as) : await world.hubTab();
  await open(`/${mode}`);
  await heading(page, 'Overview').waitFor();
  let clicks = 0;
  const operator: Operator = {
    page,
    async click(target) {
      clicks += 1;
      await target.click();
    },
    follow: (name) => operator.click(page.getByRole('main').getByRole('link', { name, exact: true })),
    goTo: (name) => operator.click(page.getByRole('navigation').getByRole('link', { name, exact: true })),
    row: (name) => page.getByRole('main').getByRole('row', { name }),
    openRow: (name) => operator.click(operator.row(name).locator('.row-link').first()),
    async press(key) {
      clicks += 1;
      await page.keyboard.press(key);
    },
    async type(field, text) {
      expect(text, 'a typed identifier').not.toMatch(/^[a-z]+_\w{8,}$/);
      await field.fill(text);
    },
    async search(text, first) {
      await operator.press('Control+k');
      await operator.type(dialog(page).getByRole('textbox', { name: 'Search' }), text);
      await dialog(page).locator('[data-combobox-selected]').filter({ hasText: first }).waitFor();
      await operator.press('Enter');
      await dialogClosed(page);
    },
    async send(reason) {
      if (reason !== null) await operator.type(dialog(page).getByLabel('Reason'), reason);
      if (mode === 'live') await operator.type(dialog(page).getByLabel('Live mode. Type LIVE'), 'LIVE');
      await operator.press('Enter');
      await dialogClosed(page);
    },
  };
  await task(operator);
  expect(clicks, 'clicks').toBeLessThanOrEqual(clicksMax);
  expect(complaints).toEqual([]);
  await (as ? context.close() : page.close());
}

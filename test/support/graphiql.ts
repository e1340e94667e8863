import type { Page } from 'playwright-core';

/** The tabs GraphiQL opens with, by the names of their operations. */
export const graphiqlTabs = ['NewestPayments', 'Charge', 'NewCard', 'Account', 'Me'];

export async function openTab(page: Page, name: string): Promise<void> {
  // By its own button: the name of a tab may stand within another's.
  const tab = page.getByRole('tab').filter({ has: page.getByRole('button', { name, exact: true }) });
  const button = tab.getByRole('button', { name, exact: true });
  await button.click();
  // GraphiQL loses the very first change of tabs after it was loaded, whoever makes it.
  if ((await tab.getAttribute('aria-selected')) !== 'true') await button.click();
  // It reads the operation a moment after it shows it, and only then can run it; what it keeps tells that it has.
  await page.waitForFunction((index) => localStorage.getItem('graphiql:tabState')?.includes(`"activeTabIndex":${index}`), graphiqlTabs.indexOf(name));
  await page.locator('.graphiql-query-editor .view-line', { hasText: name }).first().waitFor();
}

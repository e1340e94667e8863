import type { Page } from 'playwright-core';

/** The tabs GraphiQL opens with, by the names of their operations. */
export const graphiqlTabs = ['NewestPayments', 'Charge', 'NewCard', 'Account', 'Me'];

export async function openTab(page: Page, name: string): Promise<void> {
  // By its own button: the name of a tab may be part of another tab's name.
  const tab = page.getByRole('tab').filter({ has: page.getByRole('button', { name, exact: true }) });
  const button = tab.getByRole('button', { name, exact: true });
  await button.click();
  // GraphiQL loses the first change of tabs after it was loaded.
  if ((await tab.getAttribute('aria-selected')) !== 'true') await button.click();
  // GraphiQL shows the operation before it has read it, and can run it only then; its stored state shows that it has.
  await page.waitForFunction(
    (index) => localStorage.getItem('graphiql:tabState')?.includes(`"activeTabIndex":${index}`),
    graphiqlTabs.indexOf(name),
  );
  await page.locator('.graphiql-query-editor .view-line', { hasText: name }).first().waitFor();
}

/**
 * Runs a one-line operation in GraphiQL as a user does: in the tab without a key, whose text is replaced. The answer is
 * read from the page.
 */
export async function inGraphiql(
  page: Page,
  serverUrl: string,
  operation: string,
): Promise<{ data: Record<string, unknown>; shown: string }> {
  // Tabs stored by GraphiQL are deleted: they are not under test.
  await page.goto(`${serverUrl}/health/live`);
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${serverUrl}/graphql`);
  await openTab(page, 'Me');
  await page.locator('.graphiql-query-editor .view-line').first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(operation);
  const name = /\w+ (\w+)/.exec(operation)?.[1] ?? '';
  await page.getByRole('tab').getByRole('button', { name, exact: true }).waitFor();
  const [answered] = await Promise.all([
    page.waitForResponse(
      (response) =>
        response.url().endsWith('/graphql') &&
        (response.request().postData() ?? '').includes(`"operationName":"${name}"`),
    ),
    page.getByRole('button', { name: 'Execute query' }).click(),
  ]);
  const { data, errors } = await answered.json();
  if (errors) throw new Error(`GraphiQL shows errors: ${JSON.stringify(errors)}`);
  const result = page.getByLabel('Result Window');
  await result
    .getByText(`"${Object.keys(data)[0]}"`)
    .first()
    .waitFor();
  // The editor renders spaces as non-breaking spaces.
  return { data, shown: (await result.innerText()).replaceAll('\u00a0', ' ') };
}

import type { Page } from 'playwright-core';

const editor = '.graphiql-query-editor';

export async function openGraphiql(page: Page, serverUrl: string): Promise<void> {
  await page.goto(`${serverUrl}/graphql`);
  await page.locator(`${editor} .CodeMirror-line`).first().waitFor();
}

/** The titles of the tabs, which are the names of their operations. */
export async function tabsOf(page: Page): Promise<string[]> {
  return (await page.getByRole('tab').allInnerTexts()).map((title) => title.trim());
}

/** With one click, as a person does. */
export async function openTab(page: Page, name: string): Promise<void> {
  // By its own button: the name of a tab may be part of another tab's name.
  const button = page.getByRole('tab').getByRole('button', { name, exact: true });
  await button.click();
  await page.getByRole('tab', { selected: true }).getByRole('button', { name, exact: true }).waitFor();
  await page.locator(`${editor} .CodeMirror-line`, { hasText: name }).first().waitFor();
}

/** Runs the selected tab, and returns the answer as it is and as the page shows it. */
export async function run(page: Page, name: string): Promise<{ data: Record<string, any>; shown: string }> {
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
  const result = page.getByRole('region', { name: 'Result Window' });
  await result
    .getByText(`"${Object.keys(data)[0]}"`)
    .first()
    .waitFor();
  // The editor renders spaces as non-breaking spaces.
  return { data, shown: (await result.innerText()).replaceAll('\u00a0', ' ') };
}

/** Replaces the text of the selected tab. */
export async function write(page: Page, operation: string): Promise<void> {
  await page.locator(`${editor} .CodeMirror-line`).first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(operation);
}

/** Runs a one-line operation as the person who is signed in. */
export async function inGraphiql(page: Page, serverUrl: string, operation: string): ReturnType<typeof run> {
  await openGraphiql(page, serverUrl);
  await openTab(page, 'Me');
  await write(page, operation);
  const name = /\w+ (\w+)/.exec(operation)?.[1] ?? '';
  await page.getByRole('tab').getByRole('button', { name, exact: true }).waitFor();
  const answer = await run(page, name);
  // The next operation begins with the tabs of the first visit. The page stores its tabs a while after a change, so it
  // is left before they are removed.
  await page.goto(`${serverUrl}/health/live`);
  await page.evaluate(() => localStorage.clear());
  return answer;
}

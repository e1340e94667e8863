import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The tests require a browser: without one they fail. */
export function startBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(
      `There is no browser at ${executablePath}: install Chromium (apt-get install chromium), or say where it ` +
        'is in CHROMIUM_PATH.',
    );
  const quiet = [
    '--disable-background-networking',
    '--no-first-run',
    '--disable-component-update',
    '--disable-sync',
    '--disable-default-apps',
  ];
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...quiet] });
}

export interface WatchedPage {
  page: Page;
  /** Requests to other hosts than the server's, and errors reported by the page. Both must be empty. */
  strangeRequests: string[];
  complaints: string[];
}

/**
 * A page that may send requests to this server only: any other request is recorded and aborted, as on a machine without
 * a network.
 */
export async function openPage(browser: Browser, serverUrl: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  // With the browser the context is closed already.
  page.once('close', () => void context.close().catch(() => {}));
  page.setDefaultTimeout(40_000);
  const strangeRequests: string[] = [];
  const complaints: string[] = [];
  await page.route(
    (url) => url.protocol.startsWith('http') && url.origin !== serverUrl,
    (route) => {
      strangeRequests.push(route.request().url());
      return route.abort();
    },
  );
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, strangeRequests, complaints };
}

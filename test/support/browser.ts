import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

let running: Promise<Browser> | undefined;

/**
 * The browser of this process, which the files that run in it share: each of them closes its windows with
 * `closeWindows`. It ends with the process.
 */
export async function startBrowser(): Promise<Browser> {
  const earlier = await running;
  if (earlier?.isConnected()) return earlier;
  running = launch();
  return running;
}

/** Closes what a file has opened. Files of a process run one after the other. */
export async function closeWindows(): Promise<void> {
  const browser = await running?.catch(() => undefined);
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
}

/** The tests require a browser: without one they fail. */
function launch(): Promise<Browser> {
  // The headless shell has the same engine, and takes a quarter less of the processor.
  const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
  const executablePath = process.env['CHROMIUM_PATH'] ?? installed;
  if (executablePath === undefined || !existsSync(executablePath))
    throw new Error(
      `There is no browser at ${executablePath ?? '/usr/bin'}: install Chromium (apt-get install ` +
        'chromium-headless-shell, or chromium), or say where it is in CHROMIUM_PATH.',
    );
  const quiet = [
    '--disable-background-networking',
    '--no-first-run',
    '--disable-component-update',
    '--disable-sync',
    '--disable-default-apps',
  ];
  // As on a machine without a network: the browser finds no host but this one.
  const offline = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost';
  // A process that exits kills its browser. The signal that ends the process of the tests is no exit by itself.
  process.once('SIGTERM', () => process.exit());
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--disable-site-isolation-trials', offline, ...quiet],
    handleSIGTERM: false,
  });
}

export interface WatchedPage {
  page: Page;
  /** Requests to other hosts than the server's, and errors reported by the page. Both must be empty. */
  strangeRequests: string[];
  complaints: string[];
}

/** A page that records each request to another server than this one. */
export async function openPage(browser: Browser, serverUrl: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  // With the browser the context is closed already.
  page.once('close', () => void context.close().catch(() => {}));
  page.setDefaultTimeout(40_000);
  const strangeRequests: string[] = [];
  const complaints: string[] = [];
  // Not by a route, with which the browser caches nothing and every page costs as much as the first one.
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== serverUrl) strangeRequests.push(request.url());
  });
  // What the policy of a page refuses is not sent.
  page.on('requestfailed', (request) => {
    const at = strangeRequests.indexOf(request.url());
    if (at >= 0 && request.failure()?.errorText === 'csp') strangeRequests.splice(at, 1);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, strangeRequests, complaints };
}

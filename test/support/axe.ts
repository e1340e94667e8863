import { join } from 'node:path';
import axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** What axe finds wrong in a page or a frame: the rule, and the elements that break it. */
export async function violations(frame: Page | Frame, rules: axe.RuleObject = {}): Promise<string[]> {
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(axe.source);
  return frame.evaluate(async (given) => {
    // Without what only a report shows: it takes a third of the time.
    const { violations: found } = await window.axe.run({
      rules: given,
      resultTypes: ['violations'],
      selectors: false,
      preload: false,
    });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => html + failureSummary)}`);
  }, rules);
}

interface Screen {
  width: number;
  colorScheme: 'light' | 'dark';
}

/** Each width and each color scheme once: axe takes most of the time of a look at a page. */
export const screens: readonly Screen[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
];

/** Each width in each color scheme. */
export const everyScreen: readonly Screen[] = [
  ...screens,
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
];

export const nameOf = ({ width, colorScheme }: Screen): string => `${colorScheme} at ${width}`;

export async function showOn(page: Page, { width, colorScheme }: Screen): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  // The components of the console follow by an attribute, which a script sets.
  await page.waitForFunction(
    (shown) => (document.documentElement.dataset['mantineColorScheme'] ?? shown) === shown,
    colorScheme,
  );
}

/** Whether the page moves sideways, or a table of the console. */
export const movesSideways = (page: Page, { width }: Screen): Promise<boolean> =>
  page.evaluate(
    (shown) =>
      document.documentElement.scrollWidth > shown ||
      [...document.querySelectorAll('.rows-frame')].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    width,
  );

/**
 * What is wrong with the look of a page as it stands, by default light at 1280 pixels and dark at 390: what axe finds,
 * whether it moves sideways, and whether a picture is missing. With SCREENSHOTS it leaves a picture of each there.
 */
export async function flawsOnScreens(page: Page, name: string, on = screens): Promise<string[]> {
  const found: string[] = [];
  for (const screen of on) {
    await showOn(page, screen);
    const at = `${name}, ${nameOf(screen)}`;
    found.push(...(await violations(page)).map((violation) => `${at}: ${violation}`));
    if (await movesSideways(page, screen)) found.push(`${at}: moves sideways`);
    if (await page.evaluate(() => [...document.images].some(({ naturalWidth }) => naturalWidth === 0)))
      found.push(`${at}: misses a picture`);
    const folder = process.env['SCREENSHOTS'];
    if (folder)
      await page.screenshot({
        path: join(folder, `${name}-${screen.width}-${screen.colorScheme}.png`),
        fullPage: true,
      });
  }
  return found;
}

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { violations } from './axe.ts';

/**
 * What is wrong with the look of a page as it stands, in both widths and on a light and a dark screen: what axe finds,
 * whether it moves sideways, and whether a picture is missing. With SCREENSHOTS it leaves a picture of each there.
 */
export async function flawsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      found.push(...(await violations(page)).map((violation) => `${name} at ${width}, ${colorScheme}: ${violation}`));
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
        found.push(`${name} at ${width} moves sideways`);
      if (await page.evaluate(() => [...document.images].some(({ naturalWidth }) => naturalWidth === 0)))
        found.push(`${name} misses a picture`);
      const folder = process.env['SCREENSHOTS'];
      if (folder) await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  return found;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The values of the design, as CSS: the start of every style of the platform. */
export const tokensCss = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

/** The font of pages that may load it. A frame in another site's page uses the font of the system. */
export const fontCss = readFileSync(join(import.meta.dirname, 'font.css'), 'utf8');

/** The colors of the design on a light and on a dark screen, by name, for mail, whose clients support no variables. */
export const colors = { light: colorsOf(0), dark: colorsOf(1) } as const;

/** The colors of one of the two rules. */
function colorsOf(rule: 0 | 1): (name: string) => string {
  const block = tokensCss.split(':root {')[rule + 1] ?? '';
  const values = new Map(Array.from(block.matchAll(/--([\w-]+): (#[0-9a-f]{6,8});/g), ([, name, hex]) => [name, hex]));
  return (name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`tokens.css has no color ${name}.`);
    return value;
  };
}

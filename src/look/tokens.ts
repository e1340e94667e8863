import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The values of the design, as CSS: the beginning of every style of the platform. */
export const tokensCss = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

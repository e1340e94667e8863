import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withSettingsTable } from '../../../src/cli/print-settings.ts';

test('docs/configuration.md contains the table of settings; node src/cli/print-settings.ts prints it', () => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  expect(page).toBe(withSettingsTable(page));
});

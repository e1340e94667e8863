import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { manualClock } from '../../../../src/lib/clock.ts';
import { usePlatform } from '../../../support/platform.ts';
import { seedPartner } from '../../../support/seed.ts';

const clock = manualClock(new Date('2025-12-31T23:59:00Z'));
const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();

/** The statements of the page, with the rows that `\copy` of psql would write in place of the file. */
function statementsOfPage(before: string): string[] {
  const page = readFileSync(
    join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'self-hosting', 'database.md'),
    'utf8',
  );
  const [, block = ''] = /## Old events[\s\S]*?```sql\n([\s\S]*?)```/.exec(page) ?? [];
  return block
    .replace(/^\\set .*$/m, '')
    .replace(/^\\copy (\(.*\)) TO .*$/m, '$1;')
    .replaceAll(":'before'", `'${before}'`)
    .split(';\n')
    .filter((statement) => statement.trim() !== '');
}

test('the statements of the page export and remove events before a time, a server shows what is left, and sequence continues', async () => {
  const { id: ada } = await account.api.ok('/customers/create', { firstName: 'Ada', email: 'ada@example.com' });
  const old = (await account.api.ok('/events/list', {})).items[0];
  clock.set(new Date('2026-01-01T00:00:00Z'));
  await account.api.ok('/customers/create', { firstName: 'Bo', email: 'bo@example.com' });
  const { total } = await account.api.ok('/events/list', {});

  const owner = new pg.Client({ connectionString: platform.databaseUrl });
  await owner.connect();
  const exported: string[] = [];
  for (const statement of statementsOfPage('2026-01-01T00:00:00Z'))
    exported.push(...(await owner.query(statement)).rows.map(({ to_jsonb: row }) => row.id));
  await expect(owner.query('DELETE FROM events')).rejects.toThrow('never changed or removed');
  await owner.end();

  expect(exported).toContain(old.id);
  const left = await account.api.ok('/events/list', {});
  expect(left.items.map(({ type }: { type: string }) => type)).toEqual(['customer/created']);
  expect([left.total, exported.length]).toEqual([1, total - 1]);
  expect((await account.api.call(`/events/${old.id}`)).status).toBe(404);
  await account.api.ok(`/customers/${ada}`, { firstName: 'Ada Ann' }, { method: 'PUT' });
  const { items } = await account.api.ok('/events/list', { filters: { objectId: ada } });
  expect(items).toMatchObject([{ type: 'customer/updated', sequence: 2 }]);
});

import { expect, test } from 'vitest';
import { textOf } from '../../support/documents.ts';
import { usePlatform } from '../../support/platform.ts';

const platform = await usePlatform();

const tables = ['payments', 'transactions', 'events', 'webhook_deliveries', 'postings', 'idempotency_records'];

test('each index of the tables of a charge is documented with what reads it', async () => {
  const { rows } = await platform.services.pool.query<{ name: string }>(
    `SELECT indexname AS name
    FROM pg_indexes
    WHERE schemaname IN ('public', 'ledger') AND tablename = ANY($1)`,
    [tables],
  );
  const section = textOf('docs/measurements.md').split('## Indexes of the tables of a charge')[1] ?? '';
  const documented = [...section.matchAll(/^\| `(\w+)` \| .+ \|$/gm)].map(([, name]) => name);
  expect(documented.sort()).toEqual(rows.map(({ name }) => name).sort());
});

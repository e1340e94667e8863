import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src'], { cwd: root, encoding: 'utf8' });
const files = tracked.split('\n').filter((path) => path.endsWith('.ts') && existsSync(join(root, path)));

/** Files that write a table beside the one that writes the rest of it, each with its reason. */
const otherWriters: Readonly<Record<string, string>> = {
  'connect_attempts src/domains/processors/connect/finish-connect.ts': 'A connection takes the attempt that began it.',
  'limits.buckets src/auth/buckets.ts': 'The first token is taken by the statement that finds the key.',
  'organizations src/domains/accounts/change-account.ts': 'Those of a partner’s accounts are at no provider.',
  'organizations src/local/demo.ts': 'The demo.',
  'partner_memberships src/local/demo.ts': 'The demo.',
  'partner_memberships src/iam/identity/mirror.ts': 'Rosters import the mirror, which removes deleted users.',
  'subscriptions src/domains/subscriptions/periods/run-subscription.ts': 'The lease of a job.',
  'test_clocks src/domains/test-clocks/advance-test-clock.ts': 'The call that starts an advance.',
  'test_clocks src/domains/test-clocks/drive.ts': 'The lease of a job.',
  'webhook_deliveries src/domains/webhooks/deliveries/lease.ts': 'The lease of a job.',
  'webhook_endpoints src/domains/webhooks/deliveries/rows.ts': 'One statement records an attempt and its endpoint.',
};
/** Written by the statements of charges, modifications, resolutions and disputes, until these have one path. */
const manyWriters = ['payments', 'transactions', 'refunds'];

test('one file writes a table, by SQL or by Prisma', () => {
  const schemas = execFileSync('git', ['ls-files', 'prisma/schema/*.prisma'], { cwd: root, encoding: 'utf8' });
  const models = schemas.split('\n').flatMap((path) => (path === '' ? [] : [...text(path).matchAll(model)]));
  const tables = new Map(models.map(([, name = '', table = '']) => [name[0]?.toLowerCase() + name.slice(1), table]));
  expect(tables.size).toBeGreaterThan(40);
  // The tables of an adapter are those of another system. A table in a placeholder is one of many that are purged.
  const written = files
    .filter((path) => path.startsWith('src/') && !path.startsWith('src/adapters/'))
    .flatMap((path) => [
      ...[...text(path).matchAll(writingSql)].map(([, into, changed]) => ({ table: into ?? changed ?? '', path })),
      ...[...text(path).matchAll(writingCall)].map(([, name = '']) => ({ table: tables.get(name) ?? '', path })),
    ]);
  const writers = Map.groupBy(
    new Set(written.map(({ table, path }) => `${table} ${path}`)),
    (writer) => writer.split(' ')[0] ?? '',
  );
  const several = [...writers]
    .filter(([table]) => table !== '' && !manyWriters.includes(table))
    .map(([, all]) => ({ others: all.filter((writer) => writer in otherWriters), all }))
    .filter(({ others, all }) => all.length - others.length !== 1);
  expect(several.flatMap(({ all }) => all)).toEqual([]);
  const isNeeded = (writer: string): boolean => (writers.get(writer.split(' ')[0] ?? '') ?? []).includes(writer);
  expect(Object.keys(otherWriters).filter((writer) => !isNeeded(writer))).toEqual([]);
});
const model = /^model (\w+) \{[^}]*@@map\("(\w+)"\)/gm;
const writingSql = /\b(?:INSERT INTO|DELETE FROM)\s+"?([\w.]+)|\bUPDATE\s+"?([\w.]+)"?(?:\s+\w+)?\s+SET\b/g;
const writingCall = /\.(\w+)\s*\.(?:create|update|upsert|delete)(?:Many)?(?:AndReturn)?\(/g;

test('authentication alone constructs a caller: who acts for a tenant without a key is no key', () => {
  const callers = /\bkind: [^;{}\n]*'(?:partnerKey|subKey|session)'[^;{}\n]*,/;
  const facade = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'rest'], {
    cwd: root,
    encoding: 'utf8',
  });
  const code = facade.split('\n').filter((path) => path.endsWith('.ts') && existsSync(join(root, path)));
  expect([...files, ...code].filter((path) => callers.test(text(path)))).toEqual([
    'src/auth/authenticate.ts',
    'src/iam/identity/authenticate-session.ts',
  ]);
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { apiDiff, breaking } from 'api-smart-diff';
import { buildSchema } from 'graphql';

// platform breaking-changes <git revision>: lists the changes of schema.graphql, rest/openapi.json and rest/openapi-iam.json
// since that revision that would break a client, and exits with 1 if there are any.

/** The changes between two versions of the graph that break its clients, as graphql-inspector describes them. */
export async function breakingGraphChanges(before: string, after: string): Promise<string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}

/** The changes between two versions of the OpenAPI document that break its clients: the action and its location. */
export function breakingRestChanges(before: string, after: string): string[] {
  return apiDiff(JSON.parse(before), JSON.parse(after))
    .filter(({ type }) => type === breaking)
    .map(({ action, path }) => `${action} ${path.join(' › ')}`);
}

async function compareWith(revision: string): Promise<number> {
  const root = join(import.meta.dirname, '..', '..');
  const before = (path: string) =>
    execFileSync('git', ['show', `${revision}:${path}`], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  const after = (path: string) => readFileSync(join(root, path), 'utf8');
  const found = [
    ...(await breakingGraphChanges(before('schema.graphql'), after('schema.graphql'))).map((text) => `graph: ${text}`),
    ...['rest/openapi.json', 'rest/openapi-iam.json'].flatMap((file) =>
      breakingRestChanges(before(file), after(file)).map((text) => `rest: ${text}`),
    ),
  ];
  process.stdout.write(`${[...found, `${found.length} breaking changes since ${revision}.`].join('\n')}\n`);
  return found.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await compareWith(process.argv[2] ?? 'origin/main');

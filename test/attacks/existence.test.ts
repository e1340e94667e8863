import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Client } from '../support/client.ts';
import { runExampleStory, shownEndpoints, storyBegins } from '../support/example-story.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { comparable } from '../support/worlds.ts';

interface Example {
  params?: Record<string, string>;
  body?: Record<string, unknown>;
}

const clock = manualClock(storyBegins);
const examples = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'rest', 'examples.json'), 'utf8'),
) as Record<string, Example>;
const identifier = /\b([a-z]+(?:_[a-z]+)?_)[0-9A-Za-z]{22}\b/g;
/** The endpoints whose request names a row. */
const naming = [...shownEndpoints].flatMap(([name, { endpoint, root }]) => {
  const { params = {}, body } = examples[name] ?? {};
  return JSON.stringify([params, body]).search(identifier) < 0 ? [] : [{ name, endpoint, root, params, body }];
});

const platform = await usePlatform({ clock, env: { PUBLIC_URL: 'https://pay.example.com' } });
await runExampleStory({ url: platform.url, api: (await seedPartner(platform)).api, clock });
const foreign: Map<string, string> = await rowsOfOthers();
const partner = await seedPartner(platform);
const callers: Readonly<Record<'sub-key' | 'partner key', Client>> = {
  'sub-key': (await partner.account()).api,
  'partner key': partner.api,
};

/** An identifier of a row of another tenant, for each prefix of the database. */
async function rowsOfOthers(): Promise<Map<string, string>> {
  const { pool } = platform.services;
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT table_name AS name
     FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'id' AND data_type = 'text'`,
  );
  const found = new Map<string, string>();
  for (const { name } of tables) {
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM "${name}" LIMIT 1`);
    for (const { id } of rows) found.set(id.slice(0, id.lastIndexOf('_') + 1), id);
  }
  return found;
}

test('there are rows of another tenant of most kinds', () => {
  expect([...foreign.keys()]).toEqual(
    expect.arrayContaining(['cus_', 'evt_', 'fs_', 'ord_', 'pay_', 'pi_', 'store_', 'sub_', 'tpa_', 'wh_']),
  );
  expect(naming.length).toBeGreaterThan(30);
});

test.each(
  naming.flatMap((endpoint) =>
    (['sub-key', 'partner key'] as const).map((caller) => [endpoint.name, caller, endpoint] as const),
  ),
)('%s answers a %s the same for a row of another tenant and for none', async (_name, caller, {
  endpoint,
  root,
  params,
  body,
}) => {
  const answers: string[] = [];
  for (const idFor of [
    (prefix: string) => foreign.get(prefix) ?? newId(prefix as `${string}_`, clock.now()),
    (prefix: string) => newId(prefix as `${string}_`, clock.now()),
  ]) {
    const named = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value ?? null).replace(identifier, (_id, prefix: string) => idFor(prefix))) as Value;
    const filled = named(params);
    const path = endpoint.path.replace(/:(\w+)/g, (_all, param: string) => filled[param] ?? '');
    clock.advance(1_000);
    const answer = await callers[caller].call(
      `${root}${path}`,
      endpoint.method === 'GET' ? undefined : (named(body) ?? undefined),
      { method: endpoint.method },
    );
    answers.push(comparable([answer]));
  }
  expect(answers[0]).toBe(answers[1]);
});

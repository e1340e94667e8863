import { expect, test } from 'vitest';
import { readingSchemas } from '../../../src/domains/plugins/json-schema/checker.ts';
import { deploymentWorld } from './deployment-world.ts';
import { pluginsOf } from './sample.ts';

const world = deploymentWorld();
const schemaIssues = (schema: object) => readingSchemas('tpa_test', (checker) => checker.schemaIssues({ ...schema }));
const issues = (schema: object, config: Record<string, unknown>) =>
  readingSchemas('tpa_test', (checker) => checker.configIssues({ ...schema }, [{ config, path: 'config' }]));

test('a schema that is slow to compile is accepted or aborted soon', async () => {
  for (const pattern of ['(a{1,1000}b{1,900})', '(((a{1,9}){1,9}){1,9}b)']) {
    const found = await schemaIssues({
      properties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, { pattern: `${pattern}${n}` }])),
    });
    for (const { message } of found) expect(message).toMatch(/takes too long|RE2/);
  }
});

/** Each level references the next one twice: two to the power of 40. */
const forked = {
  $ref: '#/$defs/s0',
  $defs: Object.fromEntries(
    Array.from({ length: 41 }, (_, n) => [
      `s${n}`,
      n === 40 ? { required: ['never'] } : { anyOf: [{ $ref: `#/$defs/s${n + 1}` }, { $ref: `#/$defs/s${n + 1}` }] },
    ]),
  ),
};

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['a schema that forks', forked, { a: 1 }],
  ['a schema that is its own reason', { $ref: '#' }, { a: 1 }],
  [
    'a pattern that backtracks elsewhere',
    { properties: { a: { pattern: '^(a+)+$' } } },
    { a: `${'a'.repeat(60_000)}!` },
  ],
  [
    'a list whose entries are all compared',
    { properties: { a: { uniqueItems: true } } },
    { a: Array.from({ length: 15_000 }, (_, n) => [n]) },
  ],
])('%s is aborted or answered soon', async (_what, schema, config) => {
  expect(await schemaIssues(schema)).toEqual([]);
  const found = await issues(schema, config);
  for (const { path, message } of found)
    expect(`${path} ${message}`).toMatch(/^config( takes too long|\.a must match pattern)/);
  // The next schema is checked normally.
  expect((await issues({ required: ['b'] }, {})).map(({ path }) => path)).toEqual(['config.b']);
});

test('400 for the sender of an expensive schema, while every other request, deploy and read is answered', async () => {
  const other = await world.partner.account();
  let left = 4;
  const hostile = Promise.all(
    Array.from({ length: left }, async (_, n) => {
      const answer = await world.plugins.deploy({
        manifest: { pluginId: `slow-${n}`, configuration: { schema: forked } },
        presets: { slow: { n } },
      });
      left -= 1;
      return answer;
    }),
  );
  await world.account.api.ok('/auth/test');
  expect((await pluginsOf(other.api).deploy()).status).toBe(200);
  expect((await world.plugins.ok('/deployments/list', {})).total).toBe(0);
  // Each uses its full time limit, one after the other; the three above ran in between.
  expect(left).toBeGreaterThan(0);
  for (const { status, body } of await hostile)
    expect([status, body.issues]).toEqual([
      400,
      [{ path: 'presets.slow', message: 'takes too long to be checked against the schema: make it smaller' }],
    ]);
});

import { beforeEach, describe, expect, test } from 'vitest';
import { seedPartner } from '../../support/seed.ts';
import { deploymentWorld } from './deployment-world.ts';
import { pluginsOf, presets, schema } from './sample.ts';

const world = deploymentWorld();
const { eventsOf } = world;

describe('POST /plugins/v2/deployment/sync-config', () => {
  let deploymentId: string;
  beforeEach(async () => void ({ deploymentId } = (await world.plugins.deploy({ autoInstantiate: true })).body));
  const sync = (body: object) => world.plugins.call('/deployment/sync-config', { deploymentId, ...body });

  test('200 {ok, deploymentId, presets, updatedAt}: presets and schemas change, files and instances stay', async () => {
    const before = await world.plugins.ok(`/deployment/${deploymentId}`);
    const next = {
      presets: { bright: { size: 3 } },
      schema: { properties: { size: { type: 'integer' } } },
      uiSchema: { size: 'slider' },
    };
    const { body } = await sync(next);
    expect(body).toEqual({ ok: true, deploymentId, presets: ['bright'], updatedAt: expect.stringMatching(/Z$/) });
    const after = await world.plugins.ok(`/deployment/${deploymentId}`);
    expect(after).toEqual({ ...before, ...next, presetNames: ['bright'], updatedAt: body.updatedAt });
    expect((await world.plugins.ok('/instances/list', {})).items).toMatchObject([
      { config: presets.default, configVersion: 1 },
    ]);
    expect(await eventsOf(deploymentId)).toEqual(['2 plugin/configUpdated', '1 plugin/deployed']);
  });

  test('200 keeps what is not named; null removes a schema; an empty or equal call changes nothing', async () => {
    const before = await world.plugins.ok(`/deployment/${deploymentId}`);
    expect((await sync({})).body).toEqual({
      ok: true,
      deploymentId,
      presets: ['default', 'dark'],
      updatedAt: before.updatedAt,
    });
    expect((await sync({ presets, schema })).body.updatedAt).toBe(before.updatedAt);
    await sync({ presets: { dark: presets.dark } });
    expect(await world.plugins.ok(`/deployment/${deploymentId}`)).toMatchObject({
      schema,
      uiSchema: before.uiSchema,
      presets: { dark: presets.dark },
    });
    await sync({ schema: null, uiSchema: null });
    expect(await world.plugins.ok(`/deployment/${deploymentId}`)).toMatchObject({ schema: null, uiSchema: null });
    expect(await eventsOf(deploymentId)).toHaveLength(3);
  });

  test('400 with an issue a violation, and nothing changes', async () => {
    const before = await world.plugins.ok(`/deployment/${deploymentId}`);
    const wrong = await sync({
      presets: { default: { color: 5 }, dark: { color: '#000000', x: 1 } },
      uiSchema: { changed: true },
    });
    expect(wrong).toMatchObject({
      status: 400,
      body: { code: 'INPUT_PARSE_ERROR', message: expect.stringContaining('presets.default.color') },
    });
    expect(wrong.body.issues).toEqual([
      { path: 'presets.default.color', message: 'must be string' },
      { path: 'presets.dark.x', message: 'is not a known field' },
    ]);
    expect(
      (await sync({ schema: { required: ['size'] } })).body.issues.map(({ path }: { path: string }) => path),
    ).toEqual(['presets.default.size', 'presets.dark.size']);
    expect((await sync({ schema: { type: 1 } })).body.issues[0].path).toBe('schema.type');
    expect((await sync({ presets: null })).body.issues[0].path).toBe('presets');
    expect(await world.plugins.ok(`/deployment/${deploymentId}`)).toEqual(before);
  });

  test('an instance whose live configuration the schema rejects stays live and is named', async () => {
    const [{ id }] = (await world.plugins.ok('/instances/list', {})).items;
    const { body } = await sync({ schema: { properties: { color: { const: '#ffffff' } } }, presets: {} });
    expect(body.violatingInstances).toEqual([id]);
    expect(await world.plugins.ok(`/instance/${id}`)).toMatchObject({
      config: presets.default,
      configIssues: [{ path: 'config.color', message: 'must be "#ffffff"' }],
    });
  });

  test.each([
    [
      'a reference to elsewhere',
      { properties: { a: { $ref: 'https://example.com/schema.json' } } },
      'schema.properties.a.$ref',
      /nothing is fetched/,
    ],
    ['a reference to nothing', { $ref: '#/$defs/none' }, 'schema', /cannot be used/],
    ['another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, 'schema.$schema', /must be one of/],
    [
      'a pattern that would take for ever',
      { properties: { a: { pattern: '^(?=a)b' } } },
      'schema.properties.a.pattern',
      /RE2/,
    ],
    ['an answer that comes later', { $async: true }, 'schema.$async', /not supported/],
  ])('400 for %s in a schema', async (_what, bad, path, message) => {
    const { status, body } = await sync({ schema: bad, presets: {} });
    expect([status, body.issues]).toEqual([400, [{ path, message: expect.stringMatching(message) }]]);
  });

  test('404 for a deployment of another account or mode, and a deleted one', async () => {
    const other = pluginsOf((await world.partner.account()).api);
    const live = pluginsOf((await (await seedPartner(world.platform, 'live', world.partner.id)).account()).api);
    for (const { call } of [other, live])
      expect((await call('/deployment/sync-config', { deploymentId, presets: {} })).status).toBe(404);
    await world.plugins.remove(`/deployment/${deploymentId}`);
    expect((await sync({})).status).toBe(404);
  });
});

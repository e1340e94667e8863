import { beforeEach, describe, expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { type Plugins, pluginsOf, presets } from './sample.ts';

let account: SeededAccount;
let plugins: Plugins;
let deploymentId: string;
let storeId: string;
const platform = await usePlatform();
await disableRateLimits(platform);
const partner = await seedPartner(platform);

beforeEach(async () => {
  account = await partner.account();
  ({ storeId } = account);
  plugins = pluginsOf(account.api);
  ({ deploymentId } = (await plugins.deploy()).body);
});

const create = (body: object = {}) => plugins.ok('/instance/create', { deploymentId, ...body });
const pathsOf = ({ issues }: { issues: { path: string }[] }) => issues.map(({ path }) => path);

describe('POST /plugins/v2/instance/create', () => {
  test('200 from a preset, from a configuration, and from the default preset', async () => {
    expect(await create({ storeId, name: 'Night', presetName: 'dark' })).toMatchObject({
      id: expect.stringMatching(/^pin_\w{22}$/),
      deploymentId,
      pluginId: 'sample',
      version: '1.0.0',
      storeId,
      name: 'Night',
      config: presets.dark,
      configVersion: 1,
      mounts: [],
      livemode: false,
    });
    expect(await create({ config: { color: '#abcdef' } })).toMatchObject({
      config: { color: '#abcdef' },
      name: 'Sample',
    });
    expect(await create()).toMatchObject({ config: presets.default, storeId });
    expect(await pluginsOf(partner.api).ok('/instance/create', { deploymentId })).toMatchObject({ storeId });
  });

  test.each<[string, object, string[]]>([
    ['both', { presetName: 'dark', config: { color: '#abcdef' } }, ['presetName']],
    ['a preset there is not', { presetName: 'bright' }, ['presetName']],
    ['a preset every object has', { presetName: 'constructor' }, ['presetName']],
    ['a violation', { config: { hue: '#abcdef' } }, ['config.color', 'config.hue']],
    ['no object', { config: [] }, ['config']],
    ['a name of nothing', { name: '' }, ['name']],
  ])('400 for %s', async (_what, body, paths) => {
    const answer = await plugins.call('/instance/create', { deploymentId, ...body });
    expect([answer.status, pathsOf(answer.body).sort()]).toEqual([400, paths]);
  });

  test('404 for a deployment of another account, or of its store; 403 for a foreign store', async () => {
    const other = await partner.account();
    expect((await pluginsOf(other.api).call('/instance/create', { deploymentId })).status).toBe(404);
    expect((await plugins.call('/instance/create', { deploymentId, storeId: other.storeId })).status).toBe(403);
    expect(
      (await pluginsOf(partner.api).call('/instance/create', { deploymentId, storeId: other.storeId })).status,
    ).toBe(404);
  });
});

describe('POST /plugins/v2/instance/config', () => {
  let id: string;
  beforeEach(async () => void ({ id } = await create()));
  const configure = (config: unknown, more: object = {}) =>
    plugins.call('/instance/config', { deploymentInstanceId: id, storeId, config, ...more });

  test('200 {ok, deploymentInstanceId, config, updatedAt}: the configuration is replaced, with one event', async () => {
    const { body } = await configure({ color: '#ffffff' });
    expect(body).toEqual({
      ok: true,
      deploymentInstanceId: id,
      config: { color: '#ffffff' },
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(await plugins.ok(`/instance/${id}`)).toMatchObject({
      config: { color: '#ffffff' },
      configVersion: 2,
      updatedAt: body.updatedAt,
      configIssues: [],
    });
    const { items } = await account.api.ok('/events/list', { filters: { objectId: id } });
    expect(items).toMatchObject([
      {
        type: 'plugin/configUpdated',
        sequence: 1,
        storeId,
        data: { object: { id, config: { color: '#ffffff' }, configVersion: 2 } },
      },
    ]);
  });

  test('200 and no change when it is already the live one', async () => {
    const before = await plugins.ok(`/instance/${id}`);
    expect((await configure({ title: 'Plain', color: '#112233' })).body.updatedAt).toBe(before.updatedAt);
    expect((await plugins.ok('/instance/configurations/list', { deploymentInstanceId: id })).total).toBe(1);
  });

  test('400 with an issue a violation, and the live configuration stays', async () => {
    const wrong = await configure({ color: 'red', title: 'x'.repeat(41), steps: 3 });
    expect([wrong.status, pathsOf(wrong.body).sort()]).toEqual([400, ['config.color', 'config.steps', 'config.title']]);
    expect(pathsOf((await configure({ color: '#ffffff', __proto__x: 1 })).body)).toEqual(['config.__proto__x']);
    expect(
      pathsOf(
        (
          await account.api.call(
            '/plugins/v2/instance/config',
            `{"deploymentInstanceId": "${id}", "storeId": "${storeId}", "config": {"color": "#ffffff", ` +
              '"__proto__": {"x": 1}}}',
          )
        ).body,
      ),
    ).toEqual(['config.__proto__']);
    expect(pathsOf((await configure(null)).body)).toEqual(['config']);
    expect(pathsOf((await plugins.call('/instance/config', {})).body).sort()).toEqual([
      'config',
      'deploymentInstanceId',
      'storeId',
    ]);
    expect((await plugins.ok(`/instance/${id}`)).config).toEqual(presets.default);
  });

  test('404 in another store or account; 403 for a store outside the visibility of the key', async () => {
    const second = await account.api.ok('/stores/create', { name: 'Second' });
    expect((await configure({ color: '#ffffff' }, { storeId: second.id })).status).toBe(404);
    const other = await partner.account();
    expect((await configure({ color: '#ffffff' }, { storeId: other.storeId })).status).toBe(403);
    expect(
      (
        await pluginsOf(other.api).call('/instance/config', {
          deploymentInstanceId: id,
          storeId: other.storeId,
          config: {},
        })
      ).status,
    ).toBe(404);
  });

  test('concurrent changes are separate versions, in order and without gaps', async () => {
    const colors = Array.from({ length: 8 }, (_, n) => ({ color: `#00000${n + 1}` }));
    expect((await Promise.all(colors.map((color) => configure(color)))).map(({ status }) => status)).toEqual(
      colors.map(() => 200),
    );
    const { items } = await plugins.ok('/instance/configurations/list', { deploymentInstanceId: id, pageSize: 100 });
    expect(items.map(({ version }: { version: number }) => version).sort((a: number, b: number) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    const live = await plugins.ok(`/instance/${id}`);
    expect(items.find(({ version }: { version: number }) => version === live.configVersion).config).toEqual(
      live.config,
    );
    const events = (await account.api.ok('/events/list', { filters: { objectId: id } })).items;
    expect(events.map(({ sequence }: { sequence: number }) => sequence).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('a schema and a configuration changed at once never contradict', async () => {
    for (let round = 0; round < 5; round++) {
      await plugins.ok('/deployment/sync-config', { deploymentId, presets: {}, schema: {} });
      const [synced, configured] = await Promise.all([
        plugins.ok('/deployment/sync-config', { deploymentId, schema: { properties: { n: { maximum: round } } } }),
        configure({ n: round + 1 }),
      ]);
      const { configIssues } = await plugins.ok(`/instance/${id}`);
      // Either the configuration was first, and the sync has reported it, or the schema was, and the configuration was
      // rejected.
      expect(configured.status === 200 ? synced.violatingInstances : configured.body.issues[0].path).toEqual(
        configured.status === 200 ? [id] : 'config.n',
      );
      expect(configIssues.length).toBe(configured.status === 200 || (round > 0 && synced.violatingInstances) ? 1 : 0);
      await plugins.ok('/deployment/sync-config', { deploymentId, schema: null });
      await configure({});
    }
  });
});

describe('the history of an instance', () => {
  test('actor and time, newest first; a rollback makes a new version of an old configuration', async () => {
    const { id } = await create();
    const { keyId } = await account.api.ok('/auth/test');
    await plugins.ok('/instance/config', { deploymentInstanceId: id, storeId, config: { color: '#ffffff' } });
    const back = await pluginsOf(partner.api).ok('/instance/rollback', {
      deploymentInstanceId: id,
      storeId,
      version: 1,
    });
    expect(back).toEqual({
      ok: true,
      deploymentInstanceId: id,
      config: presets.default,
      configVersion: 3,
      updatedAt: expect.any(String),
    });
    const { items, total, totalPages } = await plugins.ok('/instance/configurations/list', {
      deploymentInstanceId: id,
    });
    expect([total, totalPages]).toEqual([3, 1]);
    const partnerKeyId = (await partner.api.ok('/auth/test')).keyId;
    expect(items).toMatchObject([
      {
        version: 3,
        reason: 'rolledBack',
        rolledBackTo: 1,
        config: presets.default,
        actorKind: 'partnerKey',
        actorId: partnerKeyId,
      },
      {
        version: 2,
        reason: 'updated',
        rolledBackTo: null,
        config: { color: '#ffffff' },
        actorKind: 'subKey',
        actorId: keyId,
      },
      {
        version: 1,
        reason: 'created',
        config: presets.default,
        actorId: keyId,
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
  });

  test('404 for an unknown version, 400 when the schema rejects it, 200 for the live one', async () => {
    const { id } = await create();
    const back = (version: unknown) =>
      plugins.call('/instance/rollback', { deploymentInstanceId: id, storeId, version });
    expect((await back(2)).status).toBe(404);
    expect(pathsOf((await back(0)).body)).toEqual(['version']);
    expect((await back(1)).body.configVersion).toBe(1);
    await plugins.ok('/instance/config', { deploymentInstanceId: id, storeId, config: { color: '#ffffff' } });
    await plugins.ok('/deployment/sync-config', {
      deploymentId,
      presets: {},
      schema: { properties: { color: { const: '#ffffff' } } },
    });
    expect(await back(1)).toMatchObject({ status: 400, body: { issues: [{ path: 'config.color' }] } });
  });

  test('the newest 200 are kept', async () => {
    const { id } = await create();
    await platform.services.pool.query(
      `INSERT INTO plugin_configurations (
          id, "partnerId", "platformAccountId", mode, "deploymentInstanceId", version, config,
          reason, "actorKind", "actorId", "createdAt"
        )
        SELECT
          'pcfg_' || n || id, "partnerId", "platformAccountId", mode, id, n, config, 'updated',
          'subKey', 'ak_x', "createdAt"
        FROM plugin_instances, generate_series(2, 200) n
        WHERE id = $1`,
      [id],
    );
    await platform.services.pool.query('UPDATE plugin_instances SET "configVersion" = 200 WHERE id = $1', [id]);
    await plugins.ok('/instance/config', { deploymentInstanceId: id, storeId, config: { color: '#ffffff' } });
    const { items, total } = await plugins.ok('/instance/configurations/list', {
      deploymentInstanceId: id,
      pageSize: 100,
      page: 2,
    });
    expect([total, items.at(-1).version]).toEqual([200, 2]);
  });
});

test('lists, reads and deletes: filters, and a deleted one is 404', async () => {
  const { id } = await create({ name: 'One' });
  await create({ name: 'Two' });
  const names = async (body: object) =>
    (await plugins.ok('/instances/list', body)).items.map(({ name }: { name: string }) => name);
  expect(await names({ sortBy: { field: 'name', direction: 'asc' } })).toEqual(['One', 'Two']);
  expect(await names({ filters: { deploymentId, name: { condition: 'contains', value: 'tw' } } })).toEqual(['Two']);
  expect(await names({ filters: { pluginId: ['other'] } })).toEqual([]);
  await plugins.ok('/instance/mount', { deploymentInstanceId: id, storeId, alias: 'one' });
  expect(
    (await plugins.ok('/instances/list', { filters: { name: { condition: 'is', value: 'one' } } })).items[0].mounts,
  ).toEqual([
    { alias: 'one', basePath: '/', url: `${platform.url}/p/${storeId}/one/`, createdAt: expect.stringMatching(/Z$/) },
  ]);
  expect((await plugins.remove(`/instance/${id}`)).body).toEqual({ id, deleted: true });
  expect((await plugins.remove(`/instance/${id}`)).status).toBe(404);
  expect((await plugins.call('/instance/configurations/list', { deploymentInstanceId: id })).status).toBe(404);
  expect((await plugins.ok('/instances/list', {})).total).toBe(1);
});

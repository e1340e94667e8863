import { describe, expect, test } from 'vitest';
import { deploymentWorld } from './deployment-world.ts';
import { asset, plugin, pluginsOf, presets, schema } from './sample.ts';

const world = deploymentWorld();
const { blobs, eventsOf } = world;

describe('POST /plugins/v2/deploy', () => {
  test('200 with {deploymentId, pluginId, version, url}, and an event', async () => {
    const { body } = await world.plugins.deploy();
    expect(body).toEqual({
      deploymentId: expect.stringMatching(/^dep_\w{22}$/),
      pluginId: 'sample',
      version: '1.0.0',
      url: `${world.platform.url}/p/${world.account.storeId}/${body.deploymentId}/`,
    });
    expect(await eventsOf(body.deploymentId)).toEqual(['1 plugin/deployed']);
    const shown = await world.plugins.ok(`/deployment/${body.deploymentId}`);
    expect(shown).toMatchObject({
      id: body.deploymentId,
      deploymentId: body.deploymentId,
      storeId: world.account.storeId,
      presets,
      schema,
      presetNames: ['default', 'dark'],
      uiSchema: { color: { widget: 'color' } },
      assetCount: 3,
      livemode: false,
    });
    expect(shown.manifest).not.toHaveProperty('configuration');
    expect(
      shown.assets.map(({ path, contentType }: { path: string; contentType: string }) => `${path} ${contentType}`),
    ).toEqual(['app.css text/css', 'app.js text/javascript', 'index.html text/html']);
  });

  test('200 with autoInstantiate makes one instance, however often it is deployed', async () => {
    const first = (await world.plugins.deploy({ autoInstantiate: true })).body;
    expect(first.instance).toMatchObject({
      deploymentId: first.deploymentId,
      storeId: world.account.storeId,
      name: 'Sample',
      config: presets.default,
      configVersion: 1,
      mounts: [],
    });
    const again = (await world.plugins.deploy({ autoInstantiate: true, overwrite: true })).body;
    expect([again.deploymentId, again.instance.id]).toEqual([first.deploymentId, first.instance.id]);
    expect(await eventsOf(first.deploymentId)).toEqual(['2 plugin/deployed', '1 plugin/deployed']);
  });

  test('409 already_exists for the same version; 200 for another version and with overwrite', async () => {
    const { body } = await world.plugins.deploy();
    expect(await world.plugins.deploy()).toMatchObject({
      status: 409,
      body: {
        code: 'CONFLICT',
        message: expect.stringContaining('1.0.0'),
        issues: [{ reason: 'already_exists', message: expect.any(String) }],
      },
    });
    expect((await world.plugins.deploy({ manifest: { version: '1.0.1' } })).status).toBe(200);
    const over = await world.plugins.deploy({
      overwrite: true,
      inlineAssets: [asset('index.html', '<p>new')],
      presets: {},
    });
    expect([over.status, over.body.deploymentId]).toEqual([200, body.deploymentId]);
    expect(await world.plugins.ok(`/deployment/${body.deploymentId}`)).toMatchObject({ assetCount: 1, presets: {} });
  });

  test('one 200 and one 409 for two deploys of a version at once, also on two servers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => world.plugins.deploy({ manifest: { version: '7.0.0' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test('the same bytes are stored once, and deleted with the last deployment that has them', async () => {
    const first = (await world.plugins.deploy()).body;
    const second = (
      await world.plugins.deploy({
        manifest: { version: '2.0.0' },
        inlineAssets: [asset('index.html', 'new'), asset('copy.html', 'new'), asset('app.css', 'p{}')],
      })
    ).body;
    expect(await blobs()).toBe(4);
    expect((await world.plugins.remove(`/deployment/${first.deploymentId}`)).body).toEqual({
      id: first.deploymentId,
      deleted: true,
    });
    expect(await blobs()).toBe(2);
    await world.plugins.deploy({ manifest: { version: '2.0.0' }, overwrite: true, inlineAssets: [] });
    expect(await blobs()).toBe(0);
    expect((await world.plugins.remove(`/deployment/${first.deploymentId}`)).status).toBe(404);
    expect((await world.plugins.call(`/deployment/${second.deploymentId}`)).status).toBe(200);
  });

  test('the same Idempotency-Key: the same answer, deployed once; another body: 409', async () => {
    const headers = { 'Idempotency-Key': 'deploy-1' };
    const first = await world.plugins.deploy({ autoInstantiate: true }, headers);
    const again = await world.plugins.deploy({ autoInstantiate: true }, headers);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    expect((await world.plugins.deploy({ overwrite: true }, headers)).body.issues).toMatchObject([
      { reason: 'idempotency_key_reused' },
    ]);
    expect(await eventsOf(first.body.deploymentId)).toHaveLength(1);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      'no manifest',
      { manifest: undefined },
      ['manifest.pluginId', 'manifest.name', 'manifest.version', 'manifest.pages'],
    ],
    ['no semantic version', { manifest: { version: 'v1.0' } }, ['manifest.version']],
    ['a v before the version', { manifest: { version: 'v1.0.0' } }, ['manifest.version']],
    ['no pages', { manifest: { pages: [] } }, ['manifest.pages']],
    [
      'a page without a path, and one of a mistyped field',
      { manifest: { pages: [{ name: 'x' }, { path: '/a', isdefault: true }] } },
      ['manifest.pages[0].path', 'manifest.pages[1].isdefault'],
    ],
    ['a page that climbs', { manifest: { pages: [{ path: '/../a' }] } }, ['manifest.pages[0].path']],
    ['the same page twice', { manifest: { pages: [{ path: '/a' }, { path: '/a' }] } }, ['manifest.pages[1].path']],
    [
      'two default pages',
      {
        manifest: {
          pages: [
            { path: '/a', isDefault: true },
            { path: '/b', isDefault: true },
          ],
        },
      },
      ['manifest.pages'],
    ],
    ['a preset that is no object', { presets: { default: 1 } }, ['presets.default']],
    [
      'presets that violate the schema',
      { presets: { default: { color: 'red' }, other: { color: '#123456', size: 1 }, third: {} } },
      ['presets.default.color', 'presets.other.size', 'presets.third.color'],
    ],
    [
      'a violation in a list',
      { presets: { 'my preset': { color: '#123456', steps: [{}, { label: 1 }] } } },
      ['presets["my preset"].steps[1].label'],
    ],
    [
      'a schema that is none',
      { manifest: { configuration: { schema: { type: 'thing', properties: [] } } } },
      ['manifest.configuration.schema.properties', 'manifest.configuration.schema.type'],
    ],
    ['nothing to begin with', { presets: {}, autoInstantiate: true }, ['autoInstantiate']],
    ['a path that climbs', { inlineAssets: [asset('../x.js', '')] }, ['inlineAssets[0].path']],
    ['a path that climbs in the middle', { inlineAssets: [asset('a/../x.js', '')] }, ['inlineAssets[0].path']],
    ['an encoded path', { inlineAssets: [asset('%2e%2e/x.js', '')] }, ['inlineAssets[0].path']],
    ['a backslash', { inlineAssets: [asset('a\\x.js', '')] }, ['inlineAssets[0].path']],
    ['a path twice', { inlineAssets: [asset('x.js', ''), asset('/x.js', '')] }, ['inlineAssets[1].path']],
    [
      'a type that is not served',
      {
        inlineAssets: [
          asset('x.exe', ''),
          asset('y.js', '', 'application/x-msdownload'),
          asset('z.html', '', 'text/html; charset=utf-16'),
        ],
      },
      ['inlineAssets[0].contentType', 'inlineAssets[1].contentType', 'inlineAssets[2].contentType'],
    ],
    [
      'no base64',
      {
        inlineAssets: [
          { path: 'x.js', content: '***' },
          { path: 'y.js', content: 'YQ' },
        ],
      },
      ['inlineAssets[0].content', 'inlineAssets[1].content'],
    ],
    [
      'an HTML file of more than 384 KiB, and not a script',
      { inlineAssets: [asset('a.js', 'x'.repeat(393_217)), asset('a.html', 'x'.repeat(393_217))] },
      ['inlineAssets[1].content'],
    ],
    ['too many files', { inlineAssets: Array.from({ length: 301 }, (_, n) => asset(`${n}.js`, '')) }, ['inlineAssets']],
    [
      'too many presets',
      { presets: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`p${n}`, presets.dark])) },
      ['presets'],
    ],
    [
      'a preset that is too large',
      { manifest: { configuration: {} }, presets: { big: { text: 'x'.repeat(65_536) } } },
      ['presets.big'],
    ],
  ])('400 for %s, with an issue for each, and nothing is stored', async (_what, more, paths) => {
    const manifest = 'manifest' in more && more['manifest'] === undefined ? { manifest: {} } : undefined;
    const { status, body } = await world.plugins.call(
      '/deploy',
      manifest ? { ...plugin(), ...manifest } : plugin(more),
    );
    expect([status, body.code]).toEqual([400, 'INPUT_PARSE_ERROR']);
    expect(body.issues.map(({ path }: { path: string }) => path).sort()).toEqual([...paths].sort());
    expect((await world.plugins.ok('/deployments/list', {})).total).toBe(0);
    expect(await blobs()).toBe(0);
  });

  test('both sides of the bounds: 300 files, 64 KiB of a configuration, 5 MiB of a request', async () => {
    const config = (length: number) => ({ text: 'x'.repeat(length - '{"text":""}'.length) });
    const bare = { configuration: {} };
    expect(
      (
        await world.plugins.deploy({
          manifest: bare,
          presets: { big: config(65_536) },
          inlineAssets: Array.from({ length: 300 }, (_, n) =>
            n === 0 ? asset('a.html', 'x'.repeat(393_216)) : asset(`${n}.js`, ''),
          ),
        })
      ).status,
    ).toBe(200);
    const whole = (bytes: number) => {
      const body = JSON.stringify(
        plugin({ manifest: { version: '3.0.0' }, overwrite: true, inlineAssets: [asset('a.js', 'x'.repeat(9))] }),
      );
      return `${body.slice(0, -1)}${' '.repeat(bytes - body.length)}}`;
    };
    expect((await world.account.api.call('/plugins/v2/deploy', whole(5 * 1024 * 1024))).status).toBe(200);
    expect(await world.account.api.call('/plugins/v2/deploy', whole(5 * 1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE', issues: [{ message: expect.any(String) }] },
    });
    expect((await world.account.api.call('/plugins/v2/instance/config', whole(1024 * 1024 + 1))).status).toBe(413);
  });

  test('409 limit_reached for the 501st deployment and the 1001st instance of an account', async () => {
    const { deploymentId, instance } = (await world.plugins.deploy({ autoInstantiate: true })).body;
    const columns = async (table: string, but: string) =>
      (
        await world.platform.services.pool.query<{ list: string }>(
          `SELECT string_agg(format('%I', column_name), ', ') AS list
            FROM information_schema.columns
            WHERE table_name = $1 AND column_name <> ALL($2)`,
          [table, but.split(' ')],
        )
      ).rows[0]?.list;
    const copy = async (table: string, id: string, from: number, to: number, but: string, values: string) => {
      const list = await columns(table, but);
      await world.platform.services.pool.query(
        `INSERT INTO ${table} (${but
          .split(' ')
          .map((name) => `"${name}"`)
          .join(
            ', ',
          )}, ${list}) SELECT ${values}, ${list} FROM ${table}, generate_series(${from}, ${to}) n WHERE id = $1`,
        [id],
      );
    };
    await copy('plugin_deployments', deploymentId, 2, 499, 'id version', `id || n, '9.0.' || n`);
    await copy('plugin_instances', instance.id, 2, 999, 'id', 'id || n');
    expect((await world.plugins.deploy({ manifest: { version: '2.0.0' } })).status).toBe(200);
    expect((await world.plugins.deploy({ manifest: { version: '2.0.1' } })).body.issues[0].reason).toBe(
      'limit_reached',
    );
    expect((await world.plugins.deploy({ overwrite: true })).status).toBe(200);
    expect((await world.plugins.call('/instance/create', { deploymentId })).status).toBe(200);
    expect((await world.plugins.call('/instance/create', { deploymentId })).body.issues[0].reason).toBe(
      'limit_reached',
    );
  });

  test('200 keeps unknown fields of a manifest, and accepts a draft-07 schema', async () => {
    const { body } = await world.plugins.deploy({
      manifest: {
        permissions: ['pay'],
        configuration: {
          schema: {
            $schema: 'http://json-schema.org/draft-07/schema#',
            type: 'object',
            properties: { color: { $ref: '#/definitions/color' } },
            definitions: { color: { type: 'string' } },
          },
        },
      },
    });
    expect((await world.plugins.ok(`/deployment/${body.deploymentId}`)).manifest).toMatchObject({
      permissions: ['pay'],
    });
  });
});

describe('lists and deletion', () => {
  test('POST /deployments/list: filters, sort, total', async () => {
    for (const version of ['1.0.0', '1.1.0']) await world.plugins.deploy({ manifest: { version } });
    await world.plugins.deploy({ manifest: { pluginId: 'other', name: 'Another' } });
    const names = async (body: object) =>
      (await world.plugins.ok('/deployments/list', body)).items.map(
        ({ pluginId, version }: { pluginId: string; version: string }) => `${pluginId} ${version}`,
      );
    expect(await names({})).toEqual(['other 1.0.0', 'sample 1.1.0', 'sample 1.0.0']);
    expect(await names({ filters: { pluginId: ['sample'], version: ['1.1.0'] } })).toEqual(['sample 1.1.0']);
    expect(await names({ sortBy: { field: 'name', direction: 'asc' }, pageSize: 1 })).toEqual(['other 1.0.0']);
    expect(
      await world.partner.api.ok('/plugins/v2/deployments/list', { filters: { storeId: [world.account.storeId] } }),
    ).toMatchObject({ total: 3 });
    expect((await world.plugins.call('/deployments/list', { filters: { plugin: ['x'] } })).body.issues[0].path).toBe(
      'filters.plugin',
    );
  });

  test('409 while mounted; 200 with ?force=true, with everything below it; 400 for another value', async () => {
    const { deploymentId, instance } = (await world.plugins.deploy({ autoInstantiate: true })).body;
    await world.plugins.ok('/instance/mount', {
      deploymentInstanceId: instance.id,
      storeId: world.account.storeId,
      alias: 'shop',
    });
    expect((await world.plugins.remove(`/deployment/${deploymentId}`)).body).toMatchObject({
      code: 'CONFLICT',
      issues: [{ reason: 'invalid_state' }],
    });
    expect((await world.plugins.remove(`/deployment/${deploymentId}?force=yes`)).body).toMatchObject({
      code: 'INPUT_PARSE_ERROR',
      issues: [{ path: 'force' }],
    });
    expect((await world.plugins.remove(`/deployment/${deploymentId}?force=false`)).status).toBe(409);
    expect((await world.plugins.remove(`/deployment/${deploymentId}?force=true`)).body).toEqual({
      id: deploymentId,
      deleted: true,
    });
    expect((await world.plugins.call(`/instance/${instance.id}`)).status).toBe(404);
    expect((await world.plugins.ok('/instances/list', {})).total).toBe(0);
  });

  test('400 without a store with a partner key, 403 for a store outside its visibility, 405 for others', async () => {
    const of = pluginsOf(world.partner.api);
    expect((await of.deploy()).body.issues[0].path).toBe('storeId');
    expect((await of.deploy({ storeId: 'store_0000000000000000000000' })).body).toMatchObject({
      code: 'FORBIDDEN',
      issues: [{ reason: 'forbidden_scope' }],
    });
    expect((await of.deploy({ storeId: world.account.storeId })).status).toBe(200);
    expect((await of.call('/deployment/sync-config')).status).toBe(405);
  });
});

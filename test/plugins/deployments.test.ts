import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { asset, type Plugins, plugin, pluginsOf, presets, schema } from './sample.ts';

let platform: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;
let plugins: Plugins;
beforeAll(async () => {
  platform = await startTestPlatform();
  await liftRates(platform);
  partner = await seedPartner(platform);
});
afterAll(() => platform?.close());
beforeEach(async () => {
  account = await partner.account();
  plugins = pluginsOf(account.api);
});

const blobs = async () =>
  (await platform.services.pool.query('SELECT sha256 FROM plugin_blobs WHERE "platformAccountId" = $1', [account.id]))
    .rows.length;
const eventsOf = async (objectId: string) =>
  (await account.api.ok('/events/list', { filters: { objectId } })).items.map(
    ({ type, sequence }: { type: string; sequence: number }) => `${sequence} ${type}`,
  );

describe('POST /plugins/v2/deploy', () => {
  test('200 with {deploymentId, pluginId, version, url}, and an event', async () => {
    const { body } = await plugins.deploy();
    expect(body).toEqual({
      deploymentId: expect.stringMatching(/^dep_\w{22}$/),
      pluginId: 'sample',
      version: '1.0.0',
      url: `${platform.url}/p/${account.storeId}/${body.deploymentId}/`,
    });
    expect(await eventsOf(body.deploymentId)).toEqual(['1 plugin/deployed']);
    const shown = await plugins.ok(`/deployment/${body.deploymentId}`);
    expect(shown).toMatchObject({
      id: body.deploymentId,
      deploymentId: body.deploymentId,
      storeId: account.storeId,
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
    const first = (await plugins.deploy({ autoInstantiate: true })).body;
    expect(first.instance).toMatchObject({
      deploymentId: first.deploymentId,
      storeId: account.storeId,
      name: 'Sample',
      config: presets.default,
      configVersion: 1,
      mounts: [],
    });
    const again = (await plugins.deploy({ autoInstantiate: true, overwrite: true })).body;
    expect([again.deploymentId, again.instance.id]).toEqual([first.deploymentId, first.instance.id]);
    expect(await eventsOf(first.deploymentId)).toEqual(['2 plugin/deployed', '1 plugin/deployed']);
  });

  test('409 already_exists for the same version; 200 for another version and with overwrite', async () => {
    const { body } = await plugins.deploy();
    expect(await plugins.deploy()).toMatchObject({
      status: 409,
      body: {
        code: 'CONFLICT',
        message: expect.stringContaining('1.0.0'),
        issues: [{ reason: 'already_exists', message: expect.any(String) }],
      },
    });
    expect((await plugins.deploy({ manifest: { version: '1.0.1' } })).status).toBe(200);
    const over = await plugins.deploy({ overwrite: true, inlineAssets: [asset('index.html', '<p>new')], presets: {} });
    expect([over.status, over.body.deploymentId]).toEqual([200, body.deploymentId]);
    expect(await plugins.ok(`/deployment/${body.deploymentId}`)).toMatchObject({ assetCount: 1, presets: {} });
  });

  test('one 200 and one 409 for two deploys of a version at once, also on two servers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => plugins.deploy({ manifest: { version: '7.0.0' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test('the same bytes are stored once, and deleted with the last deployment that has them', async () => {
    const first = (await plugins.deploy()).body;
    const second = (
      await plugins.deploy({
        manifest: { version: '2.0.0' },
        inlineAssets: [asset('index.html', 'new'), asset('copy.html', 'new'), asset('app.css', 'p{}')],
      })
    ).body;
    expect(await blobs()).toBe(4);
    expect((await plugins.remove(`/deployment/${first.deploymentId}`)).body).toEqual({
      id: first.deploymentId,
      deleted: true,
    });
    expect(await blobs()).toBe(2);
    await plugins.deploy({ manifest: { version: '2.0.0' }, overwrite: true, inlineAssets: [] });
    expect(await blobs()).toBe(0);
    expect((await plugins.remove(`/deployment/${first.deploymentId}`)).status).toBe(404);
    expect((await plugins.call(`/deployment/${second.deploymentId}`)).status).toBe(200);
  });

  test('the same Idempotency-Key: the same answer, deployed once; another body: 409', async () => {
    const headers = { 'Idempotency-Key': 'deploy-1' };
    const first = await plugins.deploy({ autoInstantiate: true }, headers);
    const again = await plugins.deploy({ autoInstantiate: true }, headers);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    expect((await plugins.deploy({ overwrite: true }, headers)).body.issues).toMatchObject([
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
    const { status, body } = await plugins.call('/deploy', manifest ? { ...plugin(), ...manifest } : plugin(more));
    expect([status, body.code]).toEqual([400, 'INPUT_PARSE_ERROR']);
    expect(body.issues.map(({ path }: { path: string }) => path).sort()).toEqual([...paths].sort());
    expect((await plugins.ok('/deployments/list', {})).total).toBe(0);
    expect(await blobs()).toBe(0);
  });

  test('both sides of the bounds: 300 files, 64 KiB of a configuration, 5 MiB of a request', async () => {
    const config = (length: number) => ({ text: 'x'.repeat(length - '{"text":""}'.length) });
    const bare = { configuration: {} };
    expect(
      (
        await plugins.deploy({
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
    expect((await account.api.call('/plugins/v2/deploy', whole(5 * 1024 * 1024))).status).toBe(200);
    expect(await account.api.call('/plugins/v2/deploy', whole(5 * 1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE', issues: [{ message: expect.any(String) }] },
    });
    expect((await account.api.call('/plugins/v2/instance/config', whole(1024 * 1024 + 1))).status).toBe(413);
  });

  test('409 limit_reached for the 501st deployment and the 1001st instance of an account', async () => {
    const { deploymentId, instance } = (await plugins.deploy({ autoInstantiate: true })).body;
    const columns = async (table: string, but: string) =>
      (
        await platform.services.pool.query<{ list: string }>(
          `SELECT string_agg(format('%I', column_name), ', ') AS list
            FROM information_schema.columns
            WHERE table_name = $1 AND column_name <> ALL($2)`,
          [table, but.split(' ')],
        )
      ).rows[0]?.list;
    const copy = async (table: string, id: string, from: number, to: number, but: string, values: string) => {
      const list = await columns(table, but);
      await platform.services.pool.query(
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
    expect((await plugins.deploy({ manifest: { version: '2.0.0' } })).status).toBe(200);
    expect((await plugins.deploy({ manifest: { version: '2.0.1' } })).body.issues[0].reason).toBe('limit_reached');
    expect((await plugins.deploy({ overwrite: true })).status).toBe(200);
    expect((await plugins.call('/instance/create', { deploymentId })).status).toBe(200);
    expect((await plugins.call('/instance/create', { deploymentId })).body.issues[0].reason).toBe('limit_reached');
  });

  test('200 keeps unknown fields of a manifest, and accepts a draft-07 schema', async () => {
    const { body } = await plugins.deploy({
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
    expect((await plugins.ok(`/deployment/${body.deploymentId}`)).manifest).toMatchObject({ permissions: ['pay'] });
  });
});

describe('POST /plugins/v2/deployment/sync-config', () => {
  let deploymentId: string;
  beforeEach(async () => void ({ deploymentId } = (await plugins.deploy({ autoInstantiate: true })).body));
  const sync = (body: object) => plugins.call('/deployment/sync-config', { deploymentId, ...body });

  test('200 {ok, deploymentId, presets, updatedAt}: presets and schemas change, files and instances stay', async () => {
    const before = await plugins.ok(`/deployment/${deploymentId}`);
    const next = {
      presets: { bright: { size: 3 } },
      schema: { properties: { size: { type: 'integer' } } },
      uiSchema: { size: 'slider' },
    };
    const { body } = await sync(next);
    expect(body).toEqual({ ok: true, deploymentId, presets: ['bright'], updatedAt: expect.stringMatching(/Z$/) });
    const after = await plugins.ok(`/deployment/${deploymentId}`);
    expect(after).toEqual({ ...before, ...next, presetNames: ['bright'], updatedAt: body.updatedAt });
    expect((await plugins.ok('/instances/list', {})).items).toMatchObject([
      { config: presets.default, configVersion: 1 },
    ]);
    expect(await eventsOf(deploymentId)).toEqual(['2 plugin/configUpdated', '1 plugin/deployed']);
  });

  test('200 keeps what is not named; null removes a schema; an empty or equal call changes nothing', async () => {
    const before = await plugins.ok(`/deployment/${deploymentId}`);
    expect((await sync({})).body).toEqual({
      ok: true,
      deploymentId,
      presets: ['default', 'dark'],
      updatedAt: before.updatedAt,
    });
    expect((await sync({ presets, schema })).body.updatedAt).toBe(before.updatedAt);
    await sync({ presets: { dark: presets.dark } });
    expect(await plugins.ok(`/deployment/${deploymentId}`)).toMatchObject({
      schema,
      uiSchema: before.uiSchema,
      presets: { dark: presets.dark },
    });
    await sync({ schema: null, uiSchema: null });
    expect(await plugins.ok(`/deployment/${deploymentId}`)).toMatchObject({ schema: null, uiSchema: null });
    expect(await eventsOf(deploymentId)).toHaveLength(3);
  });

  test('400 with an issue a violation, and nothing changes', async () => {
    const before = await plugins.ok(`/deployment/${deploymentId}`);
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
    expect(await plugins.ok(`/deployment/${deploymentId}`)).toEqual(before);
  });

  test('an instance whose live configuration the schema rejects stays live and is named', async () => {
    const [{ id }] = (await plugins.ok('/instances/list', {})).items;
    const { body } = await sync({ schema: { properties: { color: { const: '#ffffff' } } }, presets: {} });
    expect(body.violatingInstances).toEqual([id]);
    expect(await plugins.ok(`/instance/${id}`)).toMatchObject({
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
    ['an answer that comes later', { $async: true }, 'schema.$async', /not taken/],
  ])('400 for %s in a schema', async (_what, bad, path, message) => {
    const { status, body } = await sync({ schema: bad, presets: {} });
    expect([status, body.issues]).toEqual([400, [{ path, message: expect.stringMatching(message) }]]);
  });

  test('404 for a deployment of another account or mode, and a deleted one', async () => {
    const other = pluginsOf((await partner.account()).api);
    const live = pluginsOf((await (await seedPartner(platform, 'live', partner.id)).account()).api);
    for (const { call } of [other, live])
      expect((await call('/deployment/sync-config', { deploymentId, presets: {} })).status).toBe(404);
    await plugins.remove(`/deployment/${deploymentId}`);
    expect((await sync({})).status).toBe(404);
  });
});

describe('lists and deletion', () => {
  test('POST /deployments/list: filters, sort, total', async () => {
    for (const version of ['1.0.0', '1.1.0']) await plugins.deploy({ manifest: { version } });
    await plugins.deploy({ manifest: { pluginId: 'other', name: 'Another' } });
    const names = async (body: object) =>
      (await plugins.ok('/deployments/list', body)).items.map(
        ({ pluginId, version }: { pluginId: string; version: string }) => `${pluginId} ${version}`,
      );
    expect(await names({})).toEqual(['other 1.0.0', 'sample 1.1.0', 'sample 1.0.0']);
    expect(await names({ filters: { pluginId: ['sample'], version: ['1.1.0'] } })).toEqual(['sample 1.1.0']);
    expect(await names({ sortBy: { field: 'name', direction: 'asc' }, pageSize: 1 })).toEqual(['other 1.0.0']);
    expect(
      await partner.api.ok('/plugins/v2/deployments/list', { filters: { storeId: [account.storeId] } }),
    ).toMatchObject({ total: 3 });
    expect((await plugins.call('/deployments/list', { filters: { plugin: ['x'] } })).body.issues[0].path).toBe(
      'filters.plugin',
    );
  });

  test('409 while mounted; 200 with ?force=true, with everything below it; 400 for another value', async () => {
    const { deploymentId, instance } = (await plugins.deploy({ autoInstantiate: true })).body;
    await plugins.ok('/instance/mount', { deploymentInstanceId: instance.id, storeId: account.storeId, alias: 'shop' });
    expect((await plugins.remove(`/deployment/${deploymentId}`)).body).toMatchObject({
      code: 'CONFLICT',
      issues: [{ reason: 'invalid_state' }],
    });
    expect((await plugins.remove(`/deployment/${deploymentId}?force=yes`)).body).toMatchObject({
      code: 'INPUT_PARSE_ERROR',
      issues: [{ path: 'force' }],
    });
    expect((await plugins.remove(`/deployment/${deploymentId}?force=false`)).status).toBe(409);
    expect((await plugins.remove(`/deployment/${deploymentId}?force=true`)).body).toEqual({
      id: deploymentId,
      deleted: true,
    });
    expect((await plugins.call(`/instance/${instance.id}`)).status).toBe(404);
    expect((await plugins.ok('/instances/list', {})).total).toBe(0);
  });

  test('400 without a store with a partner key, 403 for a store outside its visibility, 405 for others', async () => {
    const of = pluginsOf(partner.api);
    expect((await of.deploy()).body.issues[0].path).toBe('storeId');
    expect((await of.deploy({ storeId: 'store_0000000000000000000000' })).body).toMatchObject({
      code: 'FORBIDDEN',
      issues: [{ reason: 'forbidden_scope' }],
    });
    expect((await of.deploy({ storeId: account.storeId })).status).toBe(200);
    expect((await of.call('/deployment/sync-config')).status).toBe(405);
  });
});

describe('an expensive schema', () => {
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

  test('400 for its sender, while every other request, deploy and read is answered', async () => {
    const other = await partner.account();
    let left = 4;
    const hostile = Promise.all(
      Array.from({ length: left }, async (_, n) => {
        const answer = await plugins.deploy({
          manifest: { pluginId: `slow-${n}`, configuration: { schema: forked } },
          presets: { slow: { n } },
        });
        left -= 1;
        return answer;
      }),
    );
    await account.api.ok('/auth/test');
    expect((await pluginsOf(other.api).deploy()).status).toBe(200);
    expect((await plugins.ok('/deployments/list', {})).total).toBe(0);
    // Each uses its full time limit, one after the other; the three above ran in between.
    expect(left).toBeGreaterThan(0);
    for (const { status, body } of await hostile)
      expect([status, body.issues]).toEqual([
        400,
        [{ path: 'presets.slow', message: 'takes too long to be checked against the schema: make it smaller' }],
      ]);
  });
});

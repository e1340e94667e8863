import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/settings/config.ts';
import { loadConfig } from '../../../src/settings/load-config.ts';

const dir = mkdtempSync(join(tmpdir(), 'platform-config-'));
afterAll(() => rmSync(dir, { recursive: true }));

const key = randomBytes(32).toString('base64');
const load = (env: Record<string, string> = {}) => loadConfig({ PLATFORM_DIR: dir, ...env });
const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://u:p@db/platform',
  PUBLIC_URL: 'https://pay.example.com',
  TRUST_PROXY: '1',
};
const keys = { VAULT_KEYS: `a:${key}`, FINGERPRINT_KEY: key, IDP_SECRET: key, IDP_EMBEDDED_IN_PRODUCTION: 'yes' };

/** The error message of a start with a wrong value. */
function refusal(env: Record<string, string>): string {
  try {
    load(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('without any variable', () => {
  test('every setting has its default, and none can be changed', () => {
    const config = load();
    const { fingerprintKey, vaultKeys: _vaultKeys, auditKeys, database, identity, ...rest } = config;
    expect(auditKeys).toMatch(/^derived:[A-Za-z0-9+/]{43}=$/);
    expect(rest).toEqual({
      auditAnchorFile: null,
      commit: null,
      host: '127.0.0.1',
      workers: 1,
      port: 4000,
      publicUrl: 'http://localhost:4000',
      isProduction: false,
      kms: null,
      logLevel: 'info',
      logFormat: process.stdout.isTTY ? 'pretty' : 'json',
      databasePoolSize: 10,
      vaultDatabase: null,
      allowNewerDatabase: false,
      invitationRedirectUrl: 'http://localhost:4000/join',
      allowedHosts: ['localhost', 'localhost', '127.0.0.1', '[::1]'],
      allowedOrigins: ['http://localhost:4000'],
      metrics: { listener: null, token: null, isOpen: true },
      tracing: null,
      trustProxy: false,
      connectionsMax: 10_000,
      connectionsPerAddress: 1_000,
      stopDelayMs: 0,
      sandbox: false,
      sandboxUrl: null,
      graphqlIntrospection: true,
      graphiql: true,
      docs: true,
      isLocal: true,
      processorTimeoutMs: 10_000,
      stripeApiBase: 'https://api.stripe.com',
      connect: null,
      webhookAllowPrivate: false,
      webhookKeepDays: 30,
      cell: '',
      platformDir: dir,
      mail: { kind: 'kept', dir: join(dir, 'mail') },
    });
    const secret = expect.stringMatching(/^.{43}=$/);
    expect(identity).toEqual({ kind: 'embedded', secret, requiresSecondFactor: false });
    expect(database).toMatchObject({ kind: 'embedded', dir: join(dir, 'postgres') });
    expect(fingerprintKey).toHaveLength(32);
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  });

  test('the keys are created once, stored, and readable by their owner only', () => {
    expect(load().vaultKeys).toBe(load().vaultKeys);
    expect(statSync(join(dir, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dir, 'secrets.json'), 'utf8')).toContain(load().vaultKeys);
  });
});

test.each([
  ['PORT', 1, 65_535],
  ['DATABASE_POOL_SIZE', 1, 200],
  ['PROCESSOR_TIMEOUT_MS', 100, 60_000],
  ['CONNECTIONS_MAX', 10, 1_000_000],
  ['CONNECTIONS_PER_ADDRESS', 1, 1_000_000],
])('%s is accepted from %i to %i only', (name, min, max) => {
  const sentence = (given: number | string) =>
    `${name} is "${given}"; it must be a whole number from ${min} to ${max}.`;
  for (const good of [min, max]) expect(refusal({ [name]: String(good) })).toBe('accepted');
  for (const bad of [min - 1, max + 1, `${min}.5`, 'many', '1e3'])
    expect(refusal({ [name]: String(bad) })).toBe(sentence(bad));
});

test.each([
  ['NODE_ENV', 'staging', 'NODE_ENV is "staging"; it must be one of development, test, production.'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL is "loud"; it must be one of fatal, error, warn, info, debug, trace, silent.'],
  ['GRAPHIQL', 'maybe', 'GRAPHIQL is "maybe"; it must be true or false.'],
  ['DOCS', 'maybe', 'DOCS is "maybe"; it must be true or false.'],
  [
    'STRIPE_API_BASE',
    'https://api.stripe.com/v1',
    'STRIPE_API_BASE is "https://api.stripe.com/v1"; it must be an http or https address without a path, such ' +
      'as https://api.stripe.com.',
  ],
  [
    'PUBLIC_URL',
    'localhost:4000',
    'PUBLIC_URL is "localhost:4000"; it must be an http or https URL without user, query or fragment, such as ' +
      'https://payments.example.com.',
  ],
  [
    'ALLOWED_ORIGINS',
    'https://a.example/path',
    'ALLOWED_ORIGINS is "https://a.example/path"; it must be origins separated by commas, each such as ' +
      'https://shop.example.com, without a path.',
  ],
  [
    'TRUST_PROXY',
    'true',
    'TRUST_PROXY is "true"; it must be the number of proxies in front (1 to 10), or their addresses or ' +
      'networks separated by commas, such as 10.0.0.0/8, or none.',
  ],
])('%s=%s stops the start with one sentence', (name, value, sentence) => {
  expect(refusal({ [name]: value })).toBe(sentence);
});

test('an empty variable is treated as absent', () => {
  expect(load({ PORT: '' }).port).toBe(4000);
});

test('the public URL loses its last slash and is the allowed origin', () => {
  expect(load({ PUBLIC_URL: 'https://pay.example.com/base/' })).toMatchObject({
    publicUrl: 'https://pay.example.com/base',
    allowedOrigins: ['https://pay.example.com', 'http://localhost:4000'],
  });
});

test('proxies are trusted by number or by address', () => {
  expect(load({ TRUST_PROXY: '10' }).trustProxy).toBe(10);
  expect(refusal({ TRUST_PROXY: '11' })).toContain('TRUST_PROXY');
  expect(load({ TRUST_PROXY: 'loopback, 10.0.0.0/8, ::1' }).trustProxy).toEqual(['loopback', '10.0.0.0/8', '::1']);
});

test('in production with an https URL of another host a start needs TRUST_PROXY; none confirms that there is no proxy', () => {
  const { TRUST_PROXY: _proxy, ...without } = { ...production, ...keys };
  expect(refusal(without)).toMatch(/^TRUST_PROXY is missing; .*or none to confirm/);
  expect(load({ ...without, TRUST_PROXY: 'none' }).trustProxy).toBe(false);
  expect(load({ ...without, PUBLIC_URL: 'https://localhost:8443' }).trustProxy).toBe(false);
  expect(load({ ...without, NODE_ENV: 'development' }).trustProxy).toBe(false);
});

test('all problems are reported at once, each setting once', () => {
  const wrong = {
    PORT: 'x',
    NODE_ENV: 'production',
    PUBLIC_URL: 'ftp://x',
    DATABASE_URL: 'postgresql://u:p@db/x',
    MAIL_FROM: 'a@b.c',
    WEBHOOK_ALOW_PRIVATE: 'true',
    ...keys,
    VAULT_KEYS: 'hunter2',
  };
  expect(refusal(wrong).split('\n')).toEqual([
    'WEBHOOK_ALOW_PRIVATE is not a setting; did you mean WEBHOOK_ALLOW_PRIVATE? Correct it or remove it.',
    expect.stringMatching(/^PORT is "x"; /),
    expect.stringMatching(/^PUBLIC_URL is "ftp:\/\/x"; /),
    expect.stringMatching(/^VAULT_KEYS is not usable /),
    expect.stringMatching(/^MAIL_FROM is set and SMTP_URL is not; /),
  ]);
});

test('a setting of an earlier version stops the start and names what takes its place', () => {
  expect(refusal({ ARCHIVE_DIR: '/var/lib/archive' })).toBe(
    'ARCHIVE_DIR is no longer a setting: old events are exported by SQL (docs/self-hosting/database.md, "Old events"). ' +
      'Remove it.',
  );
});

test.each([
  ['LOG_LEVELS', 'LOG_LEVEL'],
  ['log_level', 'LOG_LEVEL'],
  ['MIGRATIONS_DATABASES_URL', 'MIGRATION_DATABASE_URL'],
])('a variable that is nearly a setting stops the start: %s', (name, meant) => {
  expect(refusal({ [name]: 'debug' })).toBe(
    `${name} is not a setting; did you mean ${meant}? Correct it or remove it.`,
  );
});

test.each([
  'HOME',
  'HOSTNAME',
  'PORTS',
  'NODE_OPTIONS',
  'DATABASE_NAME',
  'METRICS_SERVICE_HOST',
  'CLERK_PUBLISHABLE_KEY',
])('a variable of another program does not: %s', (name) => {
  expect(refusal({ [name]: 'anything' })).toBe('accepted');
});

describe('production', () => {
  test.each([
    ['another database', { DATABASE_URL: 'postgresql://u:p@db/platform' }],
    ['a host that others can reach', { HOST: '0.0.0.0' }],
    ['both', { DATABASE_URL: 'postgresql://u:p@db/platform', HOST: '0.0.0.0' }],
    ['another database on loopback', { DATABASE_URL: 'postgresql://u:p@db/platform', HOST: '127.0.0.1' }],
    ['an address of a network', { HOST: '192.168.1.4' }],
  ])('is what %s without NODE_ENV gets, with all it demands', (_title, env: Record<string, string>) => {
    expect(refusal(env)).toContain('NODE_ENV is missing');
    const config = load({ ...env, ...keys, PUBLIC_URL: 'https://pay.example.com', TRUST_PROXY: '1' });
    expect(config).toMatchObject({ isProduction: true, graphiql: false, graphqlIntrospection: false });
    expect(config.metrics).toEqual({ listener: null, token: null, isOpen: false });
    expect(config.allowedHosts).toEqual(['pay.example.com']);
    expect(config.allowedOrigins).toEqual(['https://pay.example.com']);
  });

  test.each([
    'localhost',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
  ])('is not what HOST=%s gets with the embedded database', (HOST) => {
    expect(load({ HOST }).isProduction).toBe(false);
  });

  test('demands an https PUBLIC_URL, except for an address of this machine', () => {
    const { PUBLIC_URL: _none, ...without } = { ...production, ...keys };
    expect(refusal(without)).toBe(
      'PUBLIC_URL is missing; in production it must be the https URL at which clients reach the platform, such as ' +
        'https://payments.example.com.',
    );
    expect(refusal({ ...without, PUBLIC_URL: 'http://pay.example.com' })).toMatch(/must begin with https:/);
    expect(refusal({ ...without, PUBLIC_URL: 'http://localhost.example.com' })).toMatch(/must begin with https:/);
    for (const PUBLIC_URL of ['https://pay.example.com', 'http://localhost:4000', 'http://127.0.0.1', 'http://[::1]'])
      expect(refusal({ ...without, PUBLIC_URL })).toBe('accepted');
    expect(refusal({ ...without, HOST: '127.0.0.1' })).toBe('accepted');
  });

  test('is not demanded of a command, which serves no requests', () => {
    expect(loadConfig({ PLATFORM_DIR: dir, DATABASE_URL: production.DATABASE_URL }, { isCommand: true })).toMatchObject(
      {
        isProduction: false,
      },
    );
  });

  test('serves metrics with a token or on a port of its own only', () => {
    expect(refusal({ METRICS_TOKEN: 'a'.repeat(15) })).toContain('METRICS_TOKEN is not usable');
    expect(load({ METRICS_TOKEN: 'a'.repeat(16) }).metrics).toEqual({
      listener: null,
      token: 'a'.repeat(16),
      isOpen: false,
    });
    expect(load({ METRICS_PORT: '9100' }).metrics.listener).toEqual({ host: '127.0.0.1', port: 9100 });
    expect(load({ NODE_ENV: 'development', HOST: '0.0.0.0' }).metrics.isOpen).toBe(false);
  });
});

test('host names are allowed without a port', () => {
  expect(load({ ALLOWED_HOSTS: 'Payments.internal, 10.0.0.7' }).allowedHosts.slice(1, 3)).toEqual([
    'payments.internal',
    '10.0.0.7',
  ]);
  for (const wrong of ['a:80', 'https://a', 'a/b'])
    expect(refusal({ ALLOWED_HOSTS: wrong })).toContain('ALLOWED_HOSTS is ');
});

describe('secrets', () => {
  test('an invalid one is rejected and not repeated', () => {
    const wrong: Record<string, string>[] = [
      { VAULT_KEYS: `a:${key.slice(1)}` },
      { VAULT_KEYS: `a:${key},a:${key}` },
      { FINGERPRINT_KEY: 'hunter2' },
      { DATABASE_URL: 'mysql://u:hunter2@db/x' },
    ];
    for (const env of wrong) {
      const sentence = refusal(env);
      expect(sentence).toContain('not usable');
      for (const secret of [key.slice(1), 'hunter2']) expect(sentence).not.toContain(secret);
    }
  });

  test('the URL past a pooler names the role and the database of the pooled one', () => {
    const pooled = { DATABASE_URL: 'postgresql://u:p@pooler/x' };
    const past = 'postgresql://u:p@db/x';
    expect(refusal({ DATABASE_DIRECT_URL: past })).toContain('DATABASE_URL must then lead to the pooler');
    for (const other of ['postgresql://u:p@db/y', 'postgresql://v:p@db/x'])
      expect(refusal({ ...pooled, DATABASE_DIRECT_URL: other })).toContain('the same role and the same database');
    const settings = { NODE_ENV: 'development', ...pooled, DATABASE_DIRECT_URL: past };
    expect(load(settings).database).toMatchObject({ directUrl: past });
  });

  test('the URL of a replica names another server and the same database', () => {
    const primary = { DATABASE_URL: 'postgresql://u:p@db/x' };
    const replica = 'postgresql://u:p@standby/x';
    expect(refusal({ DATABASE_REPLICA_URL: replica })).toContain('DATABASE_URL must then lead to its primary');
    expect(refusal({ ...primary, DATABASE_REPLICA_URL: 'postgresql://v:p@db/x' })).toContain('two servers');
    expect(refusal({ ...primary, DATABASE_REPLICA_URL: 'postgresql://u:p@standby/y' })).toContain('the same database');
    const settings = { NODE_ENV: 'development', ...primary, DATABASE_REPLICA_URL: replica };
    expect(load(settings).database).toMatchObject({ replica: { url: replica, maxLagMs: 5_000 } });
    for (const DATABASE_REPLICA_MAX_LAG_MS of ['100', '3600000'])
      expect(load({ ...settings, DATABASE_REPLICA_MAX_LAG_MS }).database).toMatchObject({
        replica: { maxLagMs: Number(DATABASE_REPLICA_MAX_LAG_MS) },
      });
    for (const DATABASE_REPLICA_MAX_LAG_MS of ['99', '3600001', '1.5'])
      expect(refusal({ ...settings, DATABASE_REPLICA_MAX_LAG_MS })).toContain('DATABASE_REPLICA_MAX_LAG_MS');
  });

  test('the database of the vault is another one than that of everything else', () => {
    const main = { DATABASE_URL: 'postgresql://u:p@db/x' };
    const vault = 'postgresql://v:p@db/cards';
    const owner = 'postgresql://o:p@db/cards';
    expect(refusal({ VAULT_DATABASE_URL: vault })).toContain('DATABASE_URL must then lead to the other database');
    for (const same of ['postgresql://v:p@db/x', 'postgresql://v:p@db:5432/x?sslmode=require'])
      expect(refusal({ ...main, VAULT_DATABASE_URL: same })).toContain('name the same database');
    expect(refusal({ ...main, VAULT_MIGRATION_DATABASE_URL: owner })).toContain(
      'must then name the role of the server',
    );
    const wrong = { ...main, VAULT_DATABASE_URL: 'mysql://v:hunter2@db/cards', VAULT_MIGRATION_DATABASE_URL: 'x' };
    for (const name of Object.keys(wrong).slice(1)) expect(refusal(wrong)).toContain(`${name} is not usable`);
    expect(refusal(wrong)).not.toContain('hunter2');
    const settings = { NODE_ENV: 'development', ...main, VAULT_DATABASE_URL: vault };
    expect(load(settings).vaultDatabase).toEqual({ url: vault, ownerUrl: null });
    expect(load({ ...settings, VAULT_MIGRATION_DATABASE_URL: owner }).vaultDatabase).toEqual({
      url: vault,
      ownerUrl: owner,
    });
    expect(load({ ...settings, VAULT_DATABASE_URL: 'postgresql://u:p@db:5433/x' }).vaultDatabase).not.toBeNull();
  });

  test('a production server with its own database must be given its keys', () => {
    expect(refusal(production)).toContain('VAULT_KEYS is missing');
    expect(refusal({ ...production, VAULT_KEYS: `a:${key}` })).toContain('FINGERPRINT_KEY is missing');
    const withKeys = { ...production, VAULT_KEYS: `a:${key}`, FINGERPRINT_KEY: key };
    expect(refusal(withKeys).split('\n')).toEqual([
      'In production the embedded identity provider must be asked for: set IDP_EMBEDDED_IN_PRODUCTION=yes to ' +
        'keep the accounts of your staff in this database.',
      expect.stringMatching(/^IDP_SECRET is missing; /),
    ]);
    expect(refusal({ ...withKeys, IDP_EMBEDDED_IN_PRODUCTION: 'yes' })).toContain('IDP_SECRET is missing');
    expect(load({ ...withKeys, IDP_EMBEDDED_IN_PRODUCTION: 'yes', IDP_SECRET: key })).toMatchObject({
      host: '0.0.0.0',
      isProduction: true,
      graphiql: false,
      graphqlIntrospection: false,
    });
  });

  test('a second factor is required in production, whatever the setting says, and elsewhere if it says so', () => {
    const IDP_REQUIRE_SECOND_FACTOR = 'false';
    const keys = { VAULT_KEYS: `a:${key}`, FINGERPRINT_KEY: key, IDP_SECRET: key };
    const embedded = { ...production, ...keys, IDP_EMBEDDED_IN_PRODUCTION: 'yes', IDP_REQUIRE_SECOND_FACTOR };
    expect(load(embedded).identity).toMatchObject({ requiresSecondFactor: true });
    expect(load({ IDP_REQUIRE_SECOND_FACTOR: 'true' }).identity).toMatchObject({ requiresSecondFactor: true });
  });

  test('an older file of secrets gets the missing keys of the identity provider and keeps the others', () => {
    const old = mkdtempSync(join(dir, 'old-'));
    writeFileSync(
      join(old, 'secrets.json'),
      JSON.stringify({ vaultKeys: `local1:${key}`, fingerprintKey: key, databasePassword: 'kept' }),
    );
    const config = load({ PLATFORM_DIR: old });
    expect(config).toMatchObject({ vaultKeys: `local1:${key}`, database: { password: 'kept' } });
    expect(load({ PLATFORM_DIR: old }).identity).toEqual(config.identity);
  });
});

test('AUDIT_KEYS stand before the key that is derived from FINGERPRINT_KEY', () => {
  const given = { FINGERPRINT_KEY: key };
  const derived = load(given).auditKeys;
  expect(load(given).auditKeys).toBe(derived);
  expect(derived).not.toContain(key);
  expect(load({ ...given, AUDIT_KEYS: `a:${key}` }).auditKeys).toBe(`a:${key},${derived}`);
  expect(refusal({ AUDIT_KEYS: `a:${key},a:${key}` })).toContain('AUDIT_KEYS is not usable');
});

describe('identity and mail', () => {
  test('Clerk needs its four settings, each is checked, and none is repeated', () => {
    const clerk = {
      IDENTITY_PROVIDER: 'clerk',
      CLERK_SECRET_KEY: 'sk_live_x',
      CLERK_ISSUER: 'https://clerk.example.com',
      CLERK_AUTHORIZED_PARTIES: 'https://app.example.com',
      CLERK_WEBHOOK_SIGNING_SECRET: 'whsec_c2VjcmV0',
    };
    const production = {
      ...clerk,
      NODE_ENV: 'production',
      DATABASE_URL: 'postgresql://a@b/c',
      PUBLIC_URL: 'https://pay.example.com',
      TRUST_PROXY: '1',
      VAULT_KEYS: `a:${key}`,
      FINGERPRINT_KEY: key,
    };
    expect(loadConfig(production).identity).toEqual({
      kind: 'clerk',
      apiUrl: 'https://api.clerk.com',
      secretKey: 'sk_live_x',
      jwtKey: null,
      issuer: 'https://clerk.example.com',
      publishableKey: 'pk_live_Y2xlcmsuZXhhbXBsZS5jb20k',
      accountPortalUrl: 'https://accounts.example.com',
      authorizedParties: ['https://app.example.com'],
      webhookSecret: 'whsec_c2VjcmV0',
      requiresSecondFactor: true,
    });
    const development = {
      ...production,
      CLERK_SECRET_KEY: 'sk_test_x',
      CLERK_ISSUER: 'https://included-katydid-92.clerk.accounts.dev',
    };
    expect(loadConfig(development).identity).toMatchObject({
      publishableKey: 'pk_test_aW5jbHVkZWQta2F0eWRpZC05Mi5jbGVyay5hY2NvdW50cy5kZXYk',
      accountPortalUrl: 'https://included-katydid-92.accounts.dev',
    });
    expect(refusal({ ...clerk, CLERK_PUBLISHABLE_KEY: 'x' })).toMatch(/^CLERK_PUBLISHABLE_KEY is /);
    const named = { CLERK_PUBLISHABLE_KEY: 'pk_live_abc', CLERK_ACCOUNT_PORTAL_URL: 'https://id.example.com/account' };
    expect(loadConfig({ ...production, ...named }).identity).toMatchObject({
      publishableKey: 'pk_live_abc',
      accountPortalUrl: 'https://id.example.com/account',
    });
    for (const name of ['CLERK_SECRET_KEY', 'CLERK_ISSUER', 'CLERK_AUTHORIZED_PARTIES', 'CLERK_WEBHOOK_SIGNING_SECRET'])
      expect(refusal({ ...clerk, [name]: '' })).toMatch(new RegExp(`^${name} is missing; it must be `));
    for (const [name, value] of [
      ['CLERK_SECRET_KEY', 'pk_live_x'],
      ['CLERK_JWT_KEY', '-----BEGIN PUBLIC KEY-----AAAA-----END PUBLIC KEY-----'],
      ['CLERK_WEBHOOK_SIGNING_SECRET', 'whsec-x'],
    ] as const) {
      expect(refusal({ ...clerk, [name]: value })).toMatch(new RegExp(`^${name} is not usable`));
      expect(refusal({ ...clerk, [name]: value })).not.toContain(value);
    }
  });

  test('connecting processors needs both halves of a client, and sends its secret over TLS only', () => {
    const client = { STRIPE_CONNECT_CLIENT_ID: 'ca_1', STRIPE_CONNECT_CLIENT_SECRET: 'hunter2' };
    expect(load(client).connect).toEqual({
      clientId: 'ca_1',
      clientSecret: 'hunter2',
      authorizationUrl: 'https://connect.stripe.com/oauth/authorize',
      tokenUrl: 'https://connect.stripe.com/oauth/token',
    });
    for (const name of Object.keys(client))
      expect(refusal({ ...client, [name]: '' })).toContain('needs both, or neither');
    expect(refusal({ ...client, STRIPE_CONNECT_TOKEN_URL: 'http://connect.example.com/token' })).toContain(
      'STRIPE_CONNECT_TOKEN_URL must be an https address',
    );
    expect(load({ ...client, STRIPE_CONNECT_TOKEN_URL: 'http://127.0.0.1:9/token' }).connect?.tokenUrl).toBe(
      'http://127.0.0.1:9/token',
    );
  });

  test('mail by SMTP needs a sender address, and half of the settings is an error', () => {
    expect(
      load({ SMTP_URL: 'smtps://u:p@mail.example.com', MAIL_FROM: 'Payments <no-reply@example.com>' }).mail,
    ).toMatchObject({ kind: 'smtp', from: 'Payments <no-reply@example.com>' });
    expect(refusal({ SMTP_URL: 'smtps://mail.example.com' })).toContain('MAIL_FROM must be the address');
    expect(refusal({ MAIL_FROM: 'no-reply@example.com' })).toContain('MAIL_FROM is set and SMTP_URL is not');
    expect(refusal({ SMTP_URL: 'http://u:hunter2@mail.example.com', MAIL_FROM: 'a@b.c' })).toContain(
      'SMTP_URL is not usable',
    );
  });
});

test.each([
  [{}, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '192.168.1.4' }, false],
  [{ PUBLIC_URL: 'https://dev.example.com' }, false],
  [{ ALLOWED_HOSTS: 'dev.example.com' }, false],
  [{ HOST: '::1', PUBLIC_URL: 'http://127.0.0.1:4000' }, true],
])('a development server with %o shows mail, GraphiQL and demo keys: %s', (env, isLocal) => {
  expect(load({ NODE_ENV: 'development', ...env })).toMatchObject({ isProduction: false, isLocal, graphiql: isLocal });
  expect(load({ NODE_ENV: 'development', GRAPHIQL: 'true', ...env }).graphiql).toBe(true);
});

describe('a secret in a file', () => {
  const file = join(dir, 'fingerprint_key');
  const other = randomBytes(32).toString('base64');

  test('is read without the line end', () => {
    writeFileSync(file, `${other}\n`);
    expect(load({ FINGERPRINT_KEY_FILE: file }).fingerprintKey.toString('base64')).toBe(other);
  });

  test('given twice, missing or empty stops the start with a sentence that does not show it', () => {
    expect(refusal({ FINGERPRINT_KEY: key, FINGERPRINT_KEY_FILE: file })).toBe(
      'FINGERPRINT_KEY and FINGERPRINT_KEY_FILE are both set; set one of them.',
    );
    expect(refusal({ FINGERPRINT_KEY_FILE: '/none' })).toBe(
      'FINGERPRINT_KEY_FILE is "/none"; it must be a file that the platform can read (ENOENT).',
    );
    writeFileSync(file, '\n');
    expect(refusal({ FINGERPRINT_KEY_FILE: file })).toContain('that file is empty');
    writeFileSync(file, 'noKey');
    expect(refusal({ FINGERPRINT_KEY_FILE: file })).not.toContain('noKey');
  });

  test('is for secrets only', () => {
    expect(load({ HOST_FILE: file }).host).toBe('127.0.0.1');
  });
});

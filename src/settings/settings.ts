import { z } from 'zod';
import {
  databaseUrl,
  directory,
  file,
  headerList,
  hostNames,
  httpOrigin,
  httpOrigins,
  httpUrl,
  key,
  keyRing,
  matching,
  oneOf,
  optional,
  processCount,
  proxies,
  publicKey,
  smtpUrl,
  text,
  wholeNumber,
  yesNo,
} from './setting-kinds.ts';

const madeAtStart = 'generated at the first start, in `PLATFORM_DIR`';

/** Every environment variable that the platform reads, except those of the identity providers. */
const general = {
  NODE_ENV: optional(
    oneOf(['development', 'test', 'production']),
    'Environment of the process; `production` creates no demo data, opens no page of development, and requires an ' +
      'https `PUBLIC_URL`, and the keys when `DATABASE_URL` is set.',
    '`development` on a loopback `HOST` with the embedded database, otherwise `production`',
  ),
  HOST: optional(text, 'Address that the server listens on.', '`127.0.0.1`; in production `0.0.0.0`'),
  PORT: wholeNumber(1, 65_535).default(4000).describe('Port that the server listens on.'),
  PUBLIC_URL: optional(
    httpUrl,
    'URL at which clients reach the platform; every link that the platform returns begins with it. In production ' +
      'required and https, except on this machine: with it, cookies are sent over TLS only.',
    '`http://localhost:<PORT>`',
  ),
  SANDBOX: yesNo
    .default(false)
    .describe('Whether this deployment is the sandbox: live keys are refused, and nothing live can be created.'),
  SANDBOX_URL: optional(
    httpUrl,
    'URL at which clients reach the sandbox of this deployment; the API reference, the start page and `llms.txt` name it.',
    'none: they name no sandbox',
  ),
  CELL: optional(
    // Lower case, so that a tag is also a label of a host name and no two tags differ only in case.
    matching(
      /^[0-9a-z]{1,2}$/,
      '1 or 2 of `0`–`9` and `a`–`z`',
      'one or two digits or lower-case letters, such as b or e1',
    ),
    'Tag of this cell in the API keys that it issues, by which a proxy finds the cell of a call ' +
      '([Cells](self-hosting/cells.md)). The database keeps the tag of its first start; with another one no server ' +
      'starts on it.',
    'none: keys have no tag',
  ),
  DATABASE_URL: optional(
    databaseUrl,
    'PostgreSQL server to use; its database is migrated at start and gets no demo data.',
    'an embedded PostgreSQL in `PLATFORM_DIR`',
  ),
  MIGRATION_DATABASE_URL: optional(
    databaseUrl,
    'The same database as the role that owns the tables. It applies migrations and gives the role of `DATABASE_URL` ' +
      'the rights of a server. A server on a database that is already migrated does not need it.',
    'none: `DATABASE_URL` owns the tables',
  ),
  DATABASE_DIRECT_URL: optional(
    databaseUrl,
    'Set when `DATABASE_URL` leads to a pooler in transaction mode: the same database and role, past the pooler, for ' +
      'migrations, locks and `LISTEN`.',
    'none: `DATABASE_URL` leads to PostgreSQL itself',
  ),
  DATABASE_REPLICA_URL: optional(
    databaseUrl,
    'A standby of the same database, for the lists of internal staff, which may be a moment late.',
    'none: everything is read from the primary',
  ),
  DATABASE_REPLICA_MAX_LAG_MS: wholeNumber(100, 3_600_000)
    .default(5_000)
    .describe('Milliseconds that the replica may be behind. While it is further behind, its reads go to the primary.'),
  DATABASE_POOL_SIZE: wholeNumber(1, 200)
    .default(10)
    .describe('Database connections of one process; the test processor opens four more.'),
  ALLOW_NEWER_DATABASE: yesNo
    .default(false)
    .describe(
      'Whether to start on a database that a newer version has migrated, to return to the version before it ' +
        '([Upgrade](self-hosting/upgrade.md#rollback)).',
    ),
  WORKERS: processCount(64)
    .default(1)
    .describe(
      'Processes that serve `PORT`; `auto` is one for each core. With more than one, another process leads them ' +
        '([Workers](self-hosting/running.md#workers)).',
    ),
  PLATFORM_DIR: optional(
    directory,
    'Directory of the embedded database, the generated keys, `demo.json` and kept mail; relative to the repository.',
    '`.platform`',
  ),
  VAULT_DATABASE_URL: optional(
    databaseUrl,
    'A second PostgreSQL database, for the encrypted cards alone, and a role of its own ' +
      '([Database](self-hosting/database.md#separate-vault-database)). Requires `DATABASE_URL`.',
    'none: the cards are in the database of `DATABASE_URL`',
  ),
  VAULT_MIGRATION_DATABASE_URL: optional(
    databaseUrl,
    'The same database as the role that owns the table of the cards; what `MIGRATION_DATABASE_URL` is to ' +
      '`DATABASE_URL`.',
    'none: `VAULT_DATABASE_URL` owns the table',
  ),
  VAULT_KMS_KEY_ID: optional(
    // An ARN contains the region. An alias needs its prefix, as everywhere at AWS.
    matching(
      /^(arn:aws[\w-]*:kms:[a-z0-9-]+:\d{12}:(key|alias)\/[\w/-]+|alias\/[\w/-]+|[\w-]{8,256})$/,
      'ARN, id or alias of a key',
      'the ARN, the id or the alias of a key at AWS KMS, such as ' +
        'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    ),
    'Key of AWS KMS that unwraps the keys at start. `VAULT_KEYS`, `FINGERPRINT_KEY` and `IDP_SECRET` are then required ' +
      'and given wrapped, `kms:…`, as is `AUDIT_KEYS` if it is set ([Keys](self-hosting/keys.md)).',
    'none: the keys are given as they are',
  ),
  VAULT_KMS_REGION: optional(
    matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'region of AWS', 'a region of AWS, such as eu-west-1'),
    'Region of the key at AWS.',
    'that of the ARN, or that of AWS, such as `AWS_REGION`',
  ),
  VAULT_KMS_ENDPOINT: optional(httpUrl, 'URL of KMS, such as that of a VPC endpoint.', 'that of AWS for the region'),
  VAULT_KMS_TIMEOUT_MS: wholeNumber(100, 60_000)
    .default(10_000)
    .describe('Milliseconds that KMS may take for a key, with repetitions.'),
  VAULT_KEYS: optional(
    keyRing,
    "The vault's key ring; the first key encrypts, every key decrypts. Required in production with `DATABASE_URL`.",
    madeAtStart,
  ),
  FINGERPRINT_KEY: optional(
    key,
    'Key of card fingerprints; the keys of stored requests, checkout links and connections are derived from it. It ' +
      'must never change. Required in production with `DATABASE_URL`.',
    madeAtStart,
  ),
  AUDIT_KEYS: optional(
    keyRing,
    'Key ring of the audit log; the first key hashes new rows, every key verifies. The derived key continues to ' +
      'verify.',
    'derived from `FINGERPRINT_KEY`',
  ),
  AUDIT_ANCHOR_FILE: optional(
    file,
    'File to which the head of the audit log is appended every minute in which it changed, for ' +
      '`platform verify audit --anchor`.',
    'none; heads are logged only',
  ),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level that is logged.'),
  LOG_FORMAT: optional(
    oneOf(['json', 'pretty']),
    'Form of the log on standard output: JSON, or short lines for people, in color unless `NO_COLOR` is set.',
    '`pretty` in a terminal, otherwise `json`',
  ),
  PLATFORM_COMMIT: optional(
    matching(
      /^[0-9a-f]{40}$/,
      '40 of `0`–`9` and `a`–`f`',
      'the 40 digits of a commit, as `git rev-parse HEAD` prints',
    ),
    'Commit of the sources, for the line of the log at the start. The image has the one that it was built with.',
    'that of the git repository, if there is one',
  ),
  ALLOWED_HOSTS: optional(
    hostNames,
    'Host names by which clients may reach the platform beside that of `PUBLIC_URL`, without ports. A request whose ' +
      '`Host` is another is refused with 421, except for `/health/live`, `/health/ready` and `/metrics`.',
    'none; outside production the names of this machine',
  ),
  ALLOWED_ORIGINS: optional(
    httpOrigins,
    'Origins whose pages may send requests that change data.',
    'the origin of `PUBLIC_URL`; outside production also `http://localhost:<PORT>`',
  ),
  TRUST_PROXY: optional(
    proxies,
    "Proxies whose `X-Forwarded-For` is trusted for the client's address: their number (1 to 10), or their addresses " +
      'or networks, separated by commas; `none` for no proxy. Without the addresses of clients, all of them share the ' +
      'limits of one.',
    '`none`; in production it must be set if `PUBLIC_URL` is an https URL of another host than this machine',
  ),
  CONNECTIONS_MAX: wholeNumber(10, 1_000_000)
    .default(10_000)
    .describe(
      'Connections that clients may hold to one server; its workers share them. At the limit the one that has been ' +
        'idle the longest is closed for a new one.',
    ),
  CONNECTIONS_PER_ADDRESS: wholeNumber(1, 1_000_000)
    // Above the burst of a partner key, whose calls may all come concurrently.
    .default(1_000)
    .describe(
      'The same for the connections of one client address (IPv6: of its /64). The connections of the proxies that ' +
        '`TRUST_PROXY` names are not counted; with a number in `TRUST_PROXY` none are, since all come from the proxy, ' +
        'which then has to limit its clients itself.',
    ),
  STOP_DELAY_MS: wholeNumber(0, 60_000)
    .default(0)
    .describe(
      'Milliseconds between a signal to stop and the refusal of new connections. `/health/ready` is 503 during them, so ' +
        'that a load balancer sends its calls elsewhere; calls that still arrive are answered with `Connection: close`.',
    ),
  GRAPHQL_INTROSPECTION: optional(
    yesNo,
    'Whether clients may read the GraphQL schema by introspection.',
    '`true`; in production `false`',
  ),
  GRAPHIQL: optional(
    yesNo,
    'Whether `/graphql` serves GraphiQL to browsers.',
    '`true` if only this machine reaches the server, else `false`',
  ),
  DOCS: yesNo
    .default(true)
    .describe('Whether the documentation is served: `/docs/`, with each page as Markdown, too, and `/llms.txt`.'),
  METRICS_PORT: optional(
    wholeNumber(1, 65_535),
    'Port on which `/metrics` is served without a token, on `METRICS_HOST`. It must not be reachable by clients.',
  ),
  METRICS_HOST: text.default('127.0.0.1').describe('Address that `METRICS_PORT` listens on.'),
  METRICS_TOKEN: optional(
    matching(/^[\x21-\x7e]{16,256}$/, 'text of 16 characters or more', '16 to 256 characters without spaces', true),
    'Bearer token with which `PORT` serves `/metrics`.',
    'none: `PORT` serves no metrics; in development it serves them to this machine',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    httpUrl,
    'Collector that takes traces by OTLP over HTTP, such as `http://localhost:4318`; `/v1/traces` is added.',
    'none: no traces',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    headerList,
    'Headers of requests to the collector, such as its key; requires the endpoint.',
  ),
  IDENTITY_PROVIDER: oneOf(['embedded', 'clerk'])
    .default('embedded')
    .describe('System that signs people in; `clerk` requires the `CLERK_…` settings that have no default.'),
  IDP_REQUIRE_SECOND_FACTOR: yesNo
    .default(false)
    .describe(
      'Whether people need a second factor outside production too, as they always do in production: with the embedded ' +
        'identity provider the roles superadmin and hubadmin, and with either provider everybody who does what gives ' +
        'the most power, who must have used it in the last ten minutes.',
    ),
  INVITATION_REDIRECT_URL: optional(
    httpUrl,
    'Page that an invitation links to; with Clerk a sign-up page that then redirects to `/join`.',
    '`<PUBLIC_URL>/join`',
  ),
  SMTP_URL: optional(smtpUrl, 'Mail server; requires `MAIL_FROM`.', 'mail is kept in `PLATFORM_DIR`'),
  MAIL_FROM: optional(text, 'Address that mail is sent from; requires `SMTP_URL`.'),
  PROCESSOR_TIMEOUT_MS: wholeNumber(100, 60_000)
    .default(10_000)
    .describe('Milliseconds that a card processor may take to answer; after that the outcome of a charge is unknown.'),
  STRIPE_API_BASE: httpOrigin
    .default('https://api.stripe.com')
    .describe('Address of the Stripe API, or of a stand-in for it.'),
  STRIPE_CONNECT_CLIENT_ID: optional(
    text,
    "The platform's OAuth client at Stripe, with which merchants connect their accounts; requires the secret. " +
      'Without both, processors are connected on a page of the platform in test mode, and live mode returns 409.',
  ),
  STRIPE_CONNECT_CLIENT_SECRET: optional(
    text.meta({ secret: true }),
    "The secret of the platform's OAuth client at Stripe.",
  ),
  STRIPE_CONNECT_AUTHORIZATION_URL: httpUrl
    .default('https://connect.stripe.com/oauth/authorize')
    .describe('Page to which merchants are redirected to approve the connection.'),
  STRIPE_CONNECT_TOKEN_URL: httpUrl
    .default('https://connect.stripe.com/oauth/token')
    .describe('URL that exchanges authorization codes for tokens; https, except on this machine.'),
  WEBHOOK_ALLOW_PRIVATE: yesNo
    .default(false)
    .describe("Whether webhooks may be sent to private networks, for a receiver on a developer's machine."),
  WEBHOOK_KEEP_DAYS: wholeNumber(7, 3_650)
    .default(30)
    .describe('Days after its event for which a webhook delivery can be read and sent again; events are kept.'),
};

/** Read only when `IDENTITY_PROVIDER` is `embedded`. */
const embedded = {
  IDP_EMBEDDED_IN_PRODUCTION: yesNo
    .default(false)
    .describe('Confirms that the embedded identity provider may be used in production.'),
  IDP_SECRET: optional(
    key,
    "Signs the embedded identity provider's cookies and messages and encrypts its token keys. Required in production " +
      'with `DATABASE_URL`.',
    madeAtStart,
  ),
};

/** Read only when `IDENTITY_PROVIDER` is `clerk`. */
const clerk = {
  CLERK_SECRET_KEY: matching(
    /^sk_(test|live)_\S+$/,
    '`sk_live_…` or `sk_test_…`',
    "the instance's secret key, which begins with sk_test_ or sk_live_, since IDENTITY_PROVIDER is clerk",
    true,
  ).describe('Secret key of the Clerk instance.'),
  CLERK_ISSUER: httpUrl.describe("Issuer of Clerk's tokens: the frontend API URL of the instance."),
  CLERK_PUBLISHABLE_KEY: optional(
    matching(
      /^pk_(test|live)_[A-Za-z0-9+/]+={0,2}$/,
      '`pk_live_…` or `pk_test_…`',
      "the instance's publishable key, which begins with pk_test_ or pk_live_",
    ),
    'Publishable key of the Clerk instance, which names the cookies of its sessions.',
    'made of `CLERK_ISSUER` as Clerk makes it',
  ),
  CLERK_ACCOUNT_PORTAL_URL: optional(
    httpUrl,
    'URL of the pages at Clerk on which people sign in and keep their account: the Account Portal of the instance.',
    '`CLERK_ISSUER` with `accounts.` for `clerk.`',
  ),
  CLERK_AUTHORIZED_PARTIES: httpOrigins.describe(
    'Origins of the pages whose sessions are accepted, beside those of `PUBLIC_URL`.',
  ),
  CLERK_WEBHOOK_SIGNING_SECRET: matching(
    /^whsec_[A-Za-z0-9+/]+={0,2}$/,
    '`whsec_…`',
    "the webhook endpoint's signing secret, which begins with whsec_, since IDENTITY_PROVIDER is clerk",
    true,
  ).describe(
    'Signing secret of the webhook endpoint at Clerk that sends all events of users, sessions, organizations and ' +
      'memberships to `<PUBLIC_URL>/hooks/identity-provider`.',
  ),
  CLERK_JWT_KEY: optional(
    publicKey,
    "Public key of the instance's tokens; with it no token is checked by a request to Clerk.",
    'fetched from Clerk every five minutes',
  ),
  CLERK_API_URL: httpUrl
    .default('https://api.clerk.com')
    .describe('URL of the Clerk backend API; it may contain a path.'),
};

/** All settings, in the order of the table. */
export const settings = z.object({ ...general, ...embedded, ...clerk });

const withEmbedded = z.object({ ...general, ...embedded });
const withClerk = z.object({ ...general, ...clerk });

/** Without the settings of the identity provider that is not used. */
export function settingsWith(identityProvider: string | undefined) {
  return identityProvider === 'clerk' ? withClerk : withEmbedded;
}

interface SettingInfo {
  /** For the table of settings. */
  form: string;
  description: string;
  otherwise?: string;
  /** For the message about a wrong value, after "it must be". */
  right: string;
  secret?: boolean;
}

/** The `meta` of each setting and of its kind together. */
export const settingInfo = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' })
  .properties as unknown as Readonly<Record<string, SettingInfo>>; // written above and in `setting-kinds.ts`

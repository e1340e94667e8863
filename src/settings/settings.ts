import { z } from 'zod';
import {
  cellTag,
  databaseUrl,
  directory,
  headerList,
  hostNames,
  httpOrigin,
  httpOrigins,
  httpUrl,
  key,
  oneOf,
  optional,
  processCount,
  proxies,
  publicKey,
  required,
  secretMatching,
  secretText,
  smtpUrl,
  text,
  wholeNumber,
  withDefault,
  yesNo,
} from './setting-kinds.ts';
import { madeAtStart, vaultSettings } from './vault-settings.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every environment variable that the platform reads, except those of the identity providers. */
export const generalSettings = z.object({
  NODE_ENV: optional(
    oneOf(['development', 'test', 'production']),
    '`development` on a loopback `HOST` with the embedded database, otherwise `production`',
    'Environment of the process; `production` creates no demo data, opens no page of development, and requires an ' +
      'https `PUBLIC_URL`, and the keys when `DATABASE_URL` is set.',
  ),
  HOST: optional(text(), '`127.0.0.1`; in production `0.0.0.0`', 'Address that the server listens on.'),
  PORT: withDefault(wholeNumber(1, 65_535), 4000, 'Port that the server listens on.'),
  PUBLIC_URL: optional(
    httpUrl,
    '`http://localhost:<PORT>`',
    'URL at which clients reach the platform; every link that the platform returns begins with it. In production ' +
      'required and https, except on this machine: with it, cookies are sent over TLS only.',
  ),
  SANDBOX: withDefault(
    yesNo,
    false,
    'Whether this deployment is the sandbox: live keys are refused, and nothing live can be created.',
  ),
  CELL: optional(
    cellTag,
    'none: keys have no tag',
    'Tag of this cell in the API keys that it issues, by which a proxy finds the cell of a call ' +
      '([Cells](self-hosting/cells.md)). The database keeps the tag of its first start; with another one no server ' +
      'starts on it.',
  ),
  DATABASE_URL: optional(
    databaseUrl,
    'an embedded PostgreSQL in `PLATFORM_DIR`',
    'PostgreSQL server to use; its database is migrated at start and gets no demo data.',
  ),
  MIGRATION_DATABASE_URL: optional(
    databaseUrl,
    'none: `DATABASE_URL` owns the tables',
    'The same database as the role that owns the tables. It applies migrations and gives the role of `DATABASE_URL` ' +
      'the rights of a server. A server on a database that is already migrated does not need it.',
  ),
  DATABASE_DIRECT_URL: optional(
    databaseUrl,
    'none: `DATABASE_URL` leads to PostgreSQL itself',
    'Set when `DATABASE_URL` leads to a pooler in transaction mode: the same database and role, past the pooler, for ' +
      'migrations, locks and `LISTEN`.',
  ),
  DATABASE_REPLICA_URL: optional(
    databaseUrl,
    'none: everything is read from the primary',
    'A standby of the same database, for the lists of internal staff, which may be a moment late.',
  ),
  DATABASE_REPLICA_MAX_LAG_MS: withDefault(
    wholeNumber(100, 3_600_000),
    5_000,
    'Milliseconds that the replica may be behind. While it is further behind, its reads go to the primary.',
  ),
  DATABASE_POOL_SIZE: withDefault(
    wholeNumber(1, 200),
    10,
    'Database connections of one process; the test processor opens four more.',
  ),
  ALLOW_NEWER_DATABASE: withDefault(
    yesNo,
    false,
    'Whether to start on a database that a newer version has migrated, to return to the version before it ' +
      '([Upgrade](self-hosting/upgrade.md#go-back)).',
  ),
  WORKERS: withDefault(
    processCount(64),
    1,
    'Processes that serve `PORT`; `auto` is one for each core. With more than one, another process leads them ' +
      '([Workers](self-hosting/running.md#workers)).',
  ),
  PLATFORM_DIR: optional(
    directory,
    '`.platform`',
    'Directory of the embedded database, the generated keys, `demo.json` and kept mail; relative to the repository.',
  ),
  ...vaultSettings.shape,
  LOG_LEVEL: withDefault(oneOf(logLevels), 'info', 'Least severe level that is logged.'),
  LOG_FORMAT: optional(
    oneOf(['json', 'pretty']),
    '`pretty` in a terminal, otherwise `json`',
    'Form of the log on standard output: JSON, or short lines for people, in color unless `NO_COLOR` is set.',
  ),
  ALLOWED_HOSTS: optional(
    hostNames,
    'none; outside production the names of this machine',
    'Host names by which clients may reach the platform beside that of `PUBLIC_URL`, without ports. A request whose ' +
      '`Host` is another is refused with 421, except for `/health/live`, `/health/ready` and `/metrics`.',
  ),
  ALLOWED_ORIGINS: optional(
    httpOrigins,
    'the origin of `PUBLIC_URL`; outside production also `http://localhost:<PORT>`',
    'Origins whose pages may send requests that change data.',
  ),
  TRUST_PROXY: withDefault(
    proxies,
    false,
    "Proxies whose `X-Forwarded-For` is trusted for the client's address: their number (1 to 10), or their addresses " +
      'or networks, separated by commas.',
  ),
  CONNECTIONS_MAX: withDefault(
    wholeNumber(10, 1_000_000),
    10_000,
    'Connections that clients may hold to one server; its workers share them. At the limit the one that has been ' +
      'idle the longest is closed for a new one.',
  ),
  CONNECTIONS_PER_ADDRESS: withDefault(
    wholeNumber(1, 1_000_000),
    // Above the burst of a partner key, whose calls may all come concurrently.
    1_000,
    'The same for the connections of one client address (IPv6: of its /64). The connections of the proxies that ' +
      '`TRUST_PROXY` names are not counted; with a number in `TRUST_PROXY` none are, since all come from the proxy, ' +
      'which then has to limit its clients itself.',
  ),
  GRAPHQL_INTROSPECTION: optional(
    yesNo,
    '`true`; in production `false`',
    'Whether clients may read the GraphQL schema by introspection.',
  ),
  GRAPHIQL: optional(
    yesNo,
    '`true` if only this machine reaches the server, else `false`',
    'Whether `/graphql` serves GraphiQL to browsers.',
  ),
  DOCS: withDefault(
    yesNo,
    true,
    'Whether the documentation is served: `/docs/`, with each page as Markdown, too, and `/llms.txt`.',
  ),
  METRICS_PORT: optional(
    wholeNumber(1, 65_535),
    'none',
    'Port on which `/metrics` is served without a token, on `METRICS_HOST`. It must not be reachable by clients.',
  ),
  METRICS_HOST: withDefault(text(), '127.0.0.1', 'Address that `METRICS_PORT` listens on.'),
  METRICS_TOKEN: optional(
    secretMatching(/^[\x21-\x7e]{16,256}$/, 'text of 16 characters or more', '16 to 256 characters without spaces'),
    'none: `PORT` serves no metrics; in development it serves them to this machine',
    'Bearer token with which `PORT` serves `/metrics`.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    httpUrl,
    'none: no traces',
    'Collector that takes traces by OTLP over HTTP, such as `http://localhost:4318`; `/v1/traces` is added.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    headerList,
    'none',
    'Headers of requests to the collector, such as its key; requires the endpoint.',
  ),
  IDENTITY_PROVIDER: withDefault(
    oneOf(['embedded', 'clerk']),
    'embedded',
    'System that signs people in; `clerk` requires the `CLERK_…` settings that have no default.',
  ),
  INVITATION_REDIRECT_URL: optional(
    httpUrl,
    '`<PUBLIC_URL>/join`',
    'Page that an invitation links to; with Clerk a sign-up page that then redirects to `/join`.',
  ),
  SMTP_URL: optional(smtpUrl, 'mail is kept in `PLATFORM_DIR`', 'Mail server; requires `MAIL_FROM`.'),
  MAIL_FROM: optional(text(), 'none', 'Address that mail is sent from; requires `SMTP_URL`.'),
  PROCESSOR_TIMEOUT_MS: withDefault(
    wholeNumber(100, 60_000),
    10_000,
    'Milliseconds that a card processor may take to answer; after that the outcome of a charge is unknown.',
  ),
  STRIPE_API_BASE: withDefault(
    httpOrigin,
    'https://api.stripe.com',
    'Address of the Stripe API, or of a stand-in for it.',
  ),
  STRIPE_CONNECT_CLIENT_ID: optional(
    text(),
    'none',
    "The platform's OAuth client at Stripe, with which merchants connect their accounts; requires the secret. " +
      'Without both, processors are connected on a page of the platform in test mode, and live mode returns 409.',
  ),
  STRIPE_CONNECT_CLIENT_SECRET: optional(secretText(), 'none', "The secret of the platform's OAuth client at Stripe."),
  STRIPE_CONNECT_AUTHORIZATION_URL: withDefault(
    httpUrl,
    'https://connect.stripe.com/oauth/authorize',
    'Page to which merchants are redirected to approve the connection.',
  ),
  STRIPE_CONNECT_TOKEN_URL: withDefault(
    httpUrl,
    'https://connect.stripe.com/oauth/token',
    'URL that exchanges authorization codes for tokens; https, except on this machine.',
  ),
  WEBHOOK_ALLOW_PRIVATE: withDefault(
    yesNo,
    false,
    "Whether webhooks may be sent to private networks, for a receiver on a developer's machine.",
  ),
  WEBHOOK_KEEP_DAYS: withDefault(
    wholeNumber(7, 3_650),
    30,
    'Days after its event for which a webhook delivery can be read and sent again; events are kept.',
  ),
});

/** Read only when `IDENTITY_PROVIDER` is `embedded`. */
export const embeddedIdentitySettings = z.object({
  IDP_EMBEDDED_IN_PRODUCTION: withDefault(
    yesNo,
    false,
    'Confirms that the embedded identity provider may be used in production.',
  ),
  IDP_REQUIRE_SECOND_FACTOR: withDefault(
    yesNo,
    false,
    'Whether people with the roles superadmin and hubadmin need a second factor outside production too; in ' +
      'production they always do.',
  ),
  IDP_SECRET: optional(
    key,
    madeAtStart,
    "Signs the embedded identity provider's cookies and messages and encrypts its token keys. Required in production " +
      'with `DATABASE_URL`.',
  ),
});

/** Read only when `IDENTITY_PROVIDER` is `clerk`. */
export const clerkSettings = z.object({
  CLERK_SECRET_KEY: required(
    secretMatching(
      /^sk_(test|live)_\S+$/,
      '`sk_live_…` or `sk_test_…`',
      "the instance's secret key, which begins with sk_test_ or sk_live_, since IDENTITY_PROVIDER is clerk",
    ),
    'Secret key of the Clerk instance.',
  ),
  CLERK_ISSUER: required(httpUrl, "Issuer of Clerk's tokens: the frontend API URL of the instance."),
  CLERK_AUTHORIZED_PARTIES: required(httpOrigins, 'Origins of the pages whose sessions are accepted.'),
  CLERK_WEBHOOK_SIGNING_SECRET: required(
    secretMatching(
      /^whsec_[A-Za-z0-9+/]+={0,2}$/,
      '`whsec_…`',
      "the webhook endpoint's signing secret, which begins with whsec_, since IDENTITY_PROVIDER is clerk",
    ),
    'Signing secret of the webhook endpoint at Clerk that sends all events of users, sessions, organizations and ' +
      'memberships to `<PUBLIC_URL>/hooks/identity-provider`.',
  ),
  CLERK_JWT_KEY: optional(
    publicKey,
    'fetched from Clerk every five minutes',
    "Public key of the instance's tokens; with it no token is checked by a request to Clerk.",
  ),
  CLERK_API_URL: withDefault(httpUrl, 'https://api.clerk.com', 'URL of the Clerk backend API; it may contain a path.'),
});

/** The schema of all settings, in the order of the table. */
export const settings = z.object({
  ...generalSettings.shape,
  ...embeddedIdentitySettings.shape,
  ...clerkSettings.shape,
});

import type { logLevels } from './settings.ts';

/** Everything that an operator can set, read once at start. */
export interface Config {
  host: string;
  port: number;
  /** The URL at which clients reach the platform, without a slash at the end. */
  publicUrl: string;
  isProduction: boolean;
  /**
   * Whether this is a development server that only its own machine can reach: it shows stored mail, GraphiQL and the
   * keys of the demo.
   */
  isLocal: boolean;
  /** Whether this deployment is the sandbox, which has test mode only. */
  sandbox: boolean;
  /** The tag of this cell in its keys; '' for the cell without one. */
  cell: string;
  logLevel: LogLevel;
  logFormat: 'json' | 'pretty';
  database: DatabaseConfig;
  databasePoolSize: number;
  /** The database of the cards, or null if they are in the main database. */
  vaultDatabase: VaultDatabaseConfig | null;
  /** Whether to start on a database that a newer version has migrated. */
  allowNewerDatabase: boolean;
  /**
   * The number of processes that serve the port. With 1 there is one process; with more, another one is their primary.
   */
  workers: number;
  /** Host names that requests may have in addition to that of `publicUrl`, in lower case. */
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  metrics: MetricsConfig;
  /** In the form of Express: no proxy, the number of proxies, or their addresses. */
  trustProxy: false | number | string[];
  /**
   * The maximum number of connections of clients to this process: in total, and from one address that is not a proxy's.
   */
  connectionsMax: number;
  connectionsPerAddress: number;
  graphqlIntrospection: boolean;
  graphiql: boolean;
  /** Whether `/docs/` and `/llms.txt` serve the documentation. */
  docs: boolean;
  /** The key management service that has unwrapped the keys below, or null if they were given in clear. */
  kms: KmsConfig | null;
  /** The vault's key ring as text, `id:base64,id:base64`; the first entry encrypts. */
  vaultKeys: string;
  fingerprintKey: Buffer;
  /** The keys of the audit log as text, in the form of the vault's; the first entry hashes. */
  auditKeys: string;
  /** The file to which heads of the audit log are appended, or null. */
  auditAnchorFile: string | null;
  processorTimeoutMs: number;
  /** The address of the Stripe API, or of a fake. */
  stripeApiBase: string;
  /** Null if processors are connected on a page of the platform, in test mode only. */
  connect: ConnectConfig | null;
  /** Whether webhooks may be sent to private networks, for a receiver on a developer's machine. */
  webhookAllowPrivate: boolean;
  /** How long a delivery can be read and sent again after its event. */
  webhookKeepDays: number;
  /** The directory of the embedded database, the generated keys and the demo's credentials. */
  platformDir: string;
  /** The endpoint for traces, or null. */
  tracing: { endpoint: string; headers: Readonly<Record<string, string>> } | null;
  identity: IdentityConfig;
  /** The page to which an accepted invitation redirects. */
  invitationRedirectUrl: string;
  mail: MailConfig;
}

export type LogLevel = (typeof logLevels)[number];

export type DatabaseConfig =
  | { kind: 'embedded'; dir: string; password: string }
  /** `directUrl` is set if `url` is that of a pooler: the same database and role, without the pooler. */
  | { kind: 'server'; url: string; ownerUrl: string | null; directUrl?: string | null; replica?: ReplicaConfig | null };

interface ReplicaConfig {
  /** A standby of the same database, as the same role. */
  url: string;
  /** Reads go to the primary while the replica is further behind. */
  maxLagMs: number;
}

export interface VaultDatabaseConfig {
  url: string;
  /** The same database as the owner of its tables. Null if the role of `url` owns them, or servers only check. */
  ownerUrl: string | null;
}

/** A key at AWS KMS, and how to reach it. */
export interface KmsConfig {
  keyId: string;
  /** Null to find it like every tool of AWS. */
  region: string | null;
  /** Null for the endpoint of the region. */
  endpoint: string | null;
  timeoutMs: number;
}

/** How metrics are served. Without a listener or a token, and unless they are open, they are not served. */
interface MetricsConfig {
  /** A separate port, which requires no token. */
  listener: { host: string; port: number } | null;
  /** The bearer token that the platform's port requires. */
  token: string | null;
  /** Whether the platform's port serves them without a token: on a developer's machine only. */
  isOpen: boolean;
}

export type MailConfig = { kind: 'smtp'; url: string; from: string } | { kind: 'kept'; dir: string };

export type IdentityConfig = EmbeddedIdentityConfig | ClerkIdentityConfig;

/** The secret signs the provider's cookies and messages and encrypts the private keys of its tokens. */
export interface EmbeddedIdentityConfig {
  kind: 'embedded';
  secret: string;
  /** Whether hubadmin and above need a second factor. */
  requiresSecondFactor: boolean;
}

/** Clerk, as its dashboard shows it. */
export interface ClerkIdentityConfig {
  kind: 'clerk';
  apiUrl: string;
  secretKey: string;
  /** The public key of its tokens as PEM; null to fetch the keys. */
  jwtKey: string | null;
  issuer: string;
  /** The origins whose sessions are accepted. */
  authorizedParties: readonly string[];
  webhookSecret: string;
}

/** The platform's OAuth client at the card processor, with which merchants connect their own account. */
export interface ConnectConfig {
  clientId: string;
  clientSecret: string;
  authorizationUrl: string;
  tokenUrl: string;
}

/** A setting that stops the start. Its message is a sentence for the operator, or a line for each wrong setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

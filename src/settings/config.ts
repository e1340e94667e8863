import type { configOf } from './load-config.ts';

/** Everything that an operator can set, read once at start. */
export type Config = ReturnType<typeof configOf>;
export type LogLevel = Config['logLevel'];
export type DatabaseConfig = Config['database'];
export type VaultDatabaseConfig = NonNullable<Config['vaultDatabase']>;
export type KmsConfig = NonNullable<Config['kms']>;
export type EmbeddedIdentityConfig = Extract<Config['identity'], { kind: 'embedded' }>;
export type ClerkIdentityConfig = Extract<Config['identity'], { kind: 'clerk' }>;

/** A setting that stops the start. Its message is a sentence for the operator, or a line for each wrong setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

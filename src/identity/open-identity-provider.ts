import type { Env } from '../env.ts';
import { type EmbeddedIdp, openEmbeddedIdp } from '../idp/embedded-idp.ts';
import type { EmbeddedIdentityConfig } from '../kit/config.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import { receiveIdentityEvent } from './receive.ts';

export interface OpenedIdentityProvider {
  identityProvider: IdentityProvider;
  /** The same, where it is the embedded one: it has pages and accounts of its own here. */
  idp: EmbeddedIdp | null;
  close(): Promise<void>;
}

/** Opens the identity provider the configuration asks for. Close it before the database. */
export async function openIdentityProvider(
  parts: Omit<Env, 'identityProvider'>,
  databaseUrl: string,
): Promise<OpenedIdentityProvider> {
  const { identity } = parts.config;
  if (identity.kind === 'embedded') {
    const idp = await openEmbedded(parts, databaseUrl, identity);
    return { identityProvider: idp, idp, close: idp.close };
  }
  const { openClerkIdp } = await import('../clerk/clerk-idp.ts'); // loaded when it is the one: the vendor's client is large
  return { identityProvider: openClerkIdp(identity), idp: null, close: async () => {} };
}

/** Its messages come back in through the very function that serves the webhook, so that a crash or a refusal makes them come again. */
async function openEmbedded(
  parts: Omit<Env, 'identityProvider'>,
  databaseUrl: string,
  { secret }: EmbeddedIdentityConfig,
): Promise<EmbeddedIdp> {
  const {
    config: { publicUrl, allowedOrigins },
    log,
  } = parts;
  const idp: EmbeddedIdp = await openEmbeddedIdp({
    databaseUrl,
    log,
    publicUrl,
    allowedOrigins,
    secret,
    deliver: async (message) => void (await receiveIdentityEvent({ ...parts, identityProvider: idp }, message)),
  });
  return idp;
}

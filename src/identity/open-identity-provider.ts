import type { Env } from '../env.ts';
import { type EmbeddedIdp, openEmbeddedIdp } from '../idp/embedded-idp.ts';
import { receiveIdentityEvent } from './receive.ts';

/**
 * Opens the identity provider the configuration asks for. The embedded one's messages come back in through the very function that
 * serves the webhook, so that a crash or a refusal makes them come again. Close it before the database.
 */
export async function openIdentityProvider(parts: Omit<Env, 'identityProvider'>, databaseUrl: string): Promise<EmbeddedIdp> {
  const { config, log } = parts;
  const { publicUrl, allowedOrigins } = config;
  const idp: EmbeddedIdp = await openEmbeddedIdp({
    databaseUrl, log, publicUrl, allowedOrigins, secret: config.identity.secret,
    deliver: async (message) => void (await receiveIdentityEvent({ ...parts, identityProvider: idp }, message)),
  });
  return idp;
}

import { type EmbeddedIdp, openEmbeddedIdp } from '../adapters/embedded-idp/embedded-idp.ts';
import { directUrlOf } from '../database/pool.ts';
import { receiveIdentityEvent } from '../iam/public.ts';
import type { ClockCheck } from '../lib/clock.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import type { Services } from '../services.ts';
import type { ClerkIdentityConfig, EmbeddedIdentityConfig } from '../settings/config.ts';
import { importOptional } from '../settings/packages.ts';

export interface OpenedIdentityProvider {
  identityProvider: IdentityProvider;
  /** The same provider if it is the embedded one, which has pages and accounts in this process; otherwise null. */
  idp: EmbeddedIdp | null;
  close(): Promise<void>;
}

/** Opens the configured identity provider. It must be closed before the database. */
export async function openIdentityProvider(
  parts: Omit<Services, 'identityProvider'>,
  databaseUrl: string,
): Promise<OpenedIdentityProvider> {
  const { identity, publicUrl } = parts.config;
  if (identity.kind === 'embedded') {
    const idp = await openEmbedded(parts, databaseUrl, identity);
    return { identityProvider: idp, idp, close: idp.close };
  }
  const openClerkIdp = await loadClerk();
  const identityProvider = openClerkIdp({ ...identity, publicUrl }, { machine: parts.clockCheck });
  return { identityProvider, idp: null, close: async () => {} };
}

/** Loaded only if configured, since the vendor's client is large and an optional package. */
export async function loadClerk(): Promise<
  (identity: ClerkIdentityConfig & { publicUrl: string }, options?: { machine: ClockCheck }) => IdentityProvider
> {
  const { openClerkIdp } = await importOptional(
    () => import('../adapters/clerk/clerk-idp.ts'),
    'IDENTITY_PROVIDER is clerk, and the optional package @clerk/backend is not installed; run `npm ci` without ' +
      '--omit=optional, or use the embedded identity provider.',
  );
  return openClerkIdp;
}

/** Messages are delivered through the function that serves the webhook, so that they are retried after a failure. */
async function openEmbedded(
  parts: Omit<Services, 'identityProvider'>,
  databaseUrl: string,
  { secret }: EmbeddedIdentityConfig,
): Promise<EmbeddedIdp> {
  const {
    config: { publicUrl, allowedOrigins },
    clock,
    clockCheck: machine,
    log,
  } = parts;
  const idp: EmbeddedIdp = await openEmbeddedIdp({
    databaseUrl,
    directUrl: directUrlOf(parts.config),
    clock,
    machine,
    log,
    publicUrl,
    allowedOrigins,
    secret,
    deliver: async (message) => void (await receiveIdentityEvent({ ...parts, identityProvider: idp }, message)),
  });
  return idp;
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { type RequestHandler, Router } from 'express';
import { withTimeLimit } from '../src/database/in-time.ts';
import { migrationNames, migrationsDir, missingMigrations } from '../src/database/migrate.ts';
import { NotAuthorized } from '../src/lib/errors.ts';
import type { Services } from '../src/services.ts';

/** Liveness, readiness and metrics. Written by hand because they are not part of the graph. */
export function healthRoutes(services: Services, draining: () => boolean = () => false): RequestHandler {
  const router = Router();
  const names = migrationNames();
  let migrated = false;

  async function unreadyCause(): Promise<'draining' | 'database' | 'migrations' | null> {
    if (draining()) return 'draining';
    try {
      // Migrations are read each time until none is missing; after that a minimal query shows that the database can be
      // reached.
      if (migrated) await withTimeLimit(services.pool.query('SELECT 1'));
      else migrated = (await withTimeLimit(missingMigrations(services.pool, migrationsDir, names))).length === 0;
    } catch {
      return 'database';
    }
    return migrated ? null : 'migrations';
  }

  /** A server whose clock is off would use another time than the others. It is not ready until the clock is right. */
  async function answer(): Promise<{ status: string; cause?: string; message?: string }> {
    const [cause, vaultIsUnavailable] = await Promise.all([unreadyCause(), isVaultUnavailable()]);
    if (cause !== null) return { status: 'unavailable', cause };
    const message = await services.clockCheck.fault();
    if (message !== null) return { status: 'unavailable', cause: 'clock', message };
    return vaultIsUnavailable ? { status: 'degraded', cause: 'vault' } : { status: 'ok' };
  }

  /** A server without its vault serves calls that need no card, so it must continue to receive calls. */
  async function isVaultUnavailable(): Promise<boolean> {
    return withTimeLimit(services.vaultDatabase.check()).then(
      () => false,
      () => true,
    );
  }

  router.get('/health/live', (_request, response) => void response.json({ status: 'ok' }));
  router.get('/health/ready', async (_request, response) => {
    const ready = await answer();
    response
      .set('Cache-Control', 'no-store')
      .status(ready.status === 'unavailable' ? 503 : 200)
      .json(ready);
  });
  const { token, isOpen } = services.config.metrics;
  if (token !== null || isOpen)
    router.get('/metrics', async (request, response) => {
      if (token !== null && !isSame(request.headers.authorization ?? '', `Bearer ${token}`)) {
        response.set('WWW-Authenticate', 'Bearer');
        throw new NotAuthorized();
      }
      response
        .set('Cache-Control', 'no-store')
        .type(services.metrics.contentType)
        .send(await services.metrics.text());
    });
  return router;
}

/** Compares hashes, which have one length, in constant time. */
function isSame(given: string, right: string): boolean {
  const [left, other] = [given, right].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && other !== undefined && timingSafeEqual(left, other);
}

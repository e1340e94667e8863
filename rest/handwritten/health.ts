import { type RequestHandler, Router } from 'express';
import type { Env } from '../../src/env.ts';
import { missingMigrations } from '../../src/kit/migrate.ts';
import { exchangeOf } from '../engine/exchange.ts';

const databaseTimeoutMs = 1_000;

/** For whoever runs the server: is it alive, may it have traffic, how is it doing. By hand, since none of it is of the graph. */
export function healthRoutes(env: Env, draining: () => boolean = () => false): RequestHandler {
  const router = Router();
  let migrated = false;

  async function unreadyCause(): Promise<'draining' | 'database' | 'migrations' | null> {
    if (draining()) return 'draining';
    try {
      // Asked each time, since it tells that the database is reachable, until nothing is missing; then the cheapest question.
      if (migrated) await within(env.pool.query('SELECT 1'));
      else migrated = (await within(missingMigrations(env.pool))).length === 0;
    } catch {
      return 'database';
    }
    return migrated ? null : 'migrations';
  }

  router.use((request, _response, next) => {
    if (['/health/live', '/health/ready', '/metrics'].includes(request.path)) exchangeOf(request).route = request.path;
    next();
  });
  router.get('/health/live', (_request, response) => void response.json({ status: 'ok' }));
  router.get('/health/ready', async (_request, response) => {
    const cause = await unreadyCause();
    response
      .set('Cache-Control', 'no-store')
      .status(cause === null ? 200 : 503)
      .json(cause === null ? { status: 'ok' } : { status: 'unavailable', cause });
  });
  router.get(
    '/metrics',
    async (_request, response) => void response.type(env.metrics.contentType).send(await env.metrics.text()),
  );
  return router;
}

async function within<Answer>(asked: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The database did not answer in time.')), databaseTimeoutMs);
  });
  try {
    return await Promise.race([asked, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../rest/app.ts';
import { checkoutRoutes } from '../rest/handwritten/checkout.ts';
import { graphqlRoute } from '../rest/handwritten/graphql.ts';
import { healthRoutes } from '../rest/handwritten/health.ts';
import { identityHookRoutes } from '../rest/handwritten/identity-hooks.ts';
import { processorHookRoutes } from '../rest/handwritten/processor-hooks.ts';
import { idpRoutes, peoplePages } from '../rest/handwritten/idp.ts';
import { joinRoutes } from '../rest/handwritten/join.ts';
import { pluginPageRoutes } from '../rest/handwritten/plugin-pages.ts';
import { threeDsRoutes } from '../rest/handwritten/three-ds.ts';
import type { Env } from './env.ts';
import { filling, migrate } from './fill-database.ts';
import { schema } from './graph/schema.ts';
import type { EmbeddedIdp } from './idp/embedded-idp.ts';
import { type Clock, systemClock } from './kit/clock.ts';
import { type Config, ConfigError } from './kit/config.ts';
import { readdressDemo } from './kit/demo.ts';
import { startEmbeddedPostgres } from './kit/embedded-postgres.ts';
import { createLog, type Log } from './kit/log.ts';
import { startSweeps } from './kit/sweeps.ts';
import { openEnv } from './open-env.ts';
import { sweepsOf } from './sweeps.ts';

export interface Platform {
  url: string;
  env: Env;
  /** The embedded identity provider, for those who make its accounts: the demo and the tests. Null when it is another. */
  idp: EmbeddedIdp | null;
  /** Stops accepting, finishes what is under way, hands everything back. */
  close(): Promise<void>;
}

/** Parts a test puts in place of the real ones. */
export type Overrides = Partial<Pick<Env, 'log' | 'processors'>> & {
  clock?: Clock;
  /** Off for a test that wants to run the sweeps itself. */
  sweeps?: boolean;
  /** 0: any port that is free, which then is in the URL, too. */
  port?: 0;
};

/** Of the ten seconds a stop may take, what calls in flight get; the rest is for the sweeps and the database. */
const drainMs = 6_500;
/** A statement that is still waiting then is left to the database, which finishes or undoes it. */
const closeMaxMs = 1_000;

/** Builds one server out of its parts, in order: database with its migrations, graph, HTTP. What was opened is closed when a later step fails. */
export async function startPlatform(config: Config, overrides: Overrides = {}): Promise<Platform> {
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    const failures: unknown[] = [];
    // One that fails must not keep the others open.
    for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'Something did not close cleanly.');
  };
  try {
    return await assemble(config, overrides, closers, closeAll);
  } catch (error) {
    await closeAll().catch(() => {});
    throw error;
  }
}

async function assemble(
  given: Config,
  overrides: Overrides,
  closers: (() => Promise<unknown>)[],
  closeAll: () => Promise<void>,
): Promise<Platform> {
  const server = createServer();
  closers.push(async () => void server.close());
  const config = overrides.port === 0 ? await onFreePort(server, given) : given;
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLog({ level: config.logLevel });

  const url = await databaseUrl(config, log, closers);
  await migrate(url, log);
  const { env, idp, close } = await openEnv(config, url, {
    clock,
    log,
    ...(overrides.processors && { processors: overrides.processors }),
  });
  closers.push(() => withinMs(closeMaxMs, close()));

  let draining = false;
  const app = createApp(env, {
    schema,
    graphql: graphqlRoute(env, schema),
    routes: [
      healthRoutes(env, () => draining),
      threeDsRoutes(env),
      checkoutRoutes(env),
      pluginPageRoutes(env),
      identityHookRoutes(env),
      processorHookRoutes(env),
      joinRoutes(env),
      peoplePages(env),
      ...(idp ? [idpRoutes(env, idp)] : []),
    ],
  });
  server.on('request', app);
  if (!server.listening) await listen(server, config);
  if (config.database.kind === 'embedded') readdressDemo(config);
  if (overrides.sweeps ?? true) {
    const sweeps = startSweeps(sweepsOf(env), env);
    closers.push(sweeps.stop);
  }
  closers.push(() => {
    draining = true;
    return drain(server);
  });
  return { url: config.publicUrl, env, idp, close: closeAll };
}

/** The port must be known before the parts that tell clients our address. Nobody knows it before they do. */
async function onFreePort(server: Server, config: Config): Promise<Config> {
  await listen(server, { ...config, port: 0 });
  const { port } = server.address() as AddressInfo; // a server that listens on TCP has one
  const publicUrl = `http://127.0.0.1:${port}`;
  return {
    ...config,
    port,
    publicUrl,
    allowedOrigins: [...config.allowedOrigins, publicUrl],
    invitationRedirectUrl: config.invitationRedirectUrl.replace(config.publicUrl, publicUrl),
  };
}

async function databaseUrl(config: Config, log: Log, closers: (() => Promise<unknown>)[]): Promise<string> {
  const { database } = config;
  if (database.kind === 'server') return database.url;
  const server = await startEmbeddedPostgres({ ...database, fill: filling(config, log) });
  closers.push(server.stop);
  return server.url;
}

function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusalOf(error, host, port)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function refusalOf(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(
      `PORT is ${port}, and another program listens there already; stop it or choose another PORT.`,
    );
  if (error.code === 'EACCES')
    return new ConfigError(`PORT is ${port}, which this user may not listen on; choose one above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new ConfigError(
      `HOST is ${JSON.stringify(host)}, which is no address of this machine; it must be one, such as 127.0.0.1 or 0.0.0.0.`,
    );
  return error;
}

/** Waits for something, but no longer than that. */
async function withinMs(maxMs: number, under: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([under, new Promise<void>((resolve) => (timer = setTimeout(resolve, maxMs)))]);
  clearTimeout(timer);
}

/** No new connections, idle ones closed, and those with a call in flight when it has its answer, or at the end of the time. */
function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const forced = setTimeout(() => server.closeAllConnections(), drainMs);
    // A connection that becomes idle after its last answer would otherwise stay open for its keep-alive time.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(forced);
      clearInterval(idle);
      resolve();
    });
  });
}

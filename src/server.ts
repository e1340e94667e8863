import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../rest/app.ts';
import { exportRoutes } from '../rest/exports.ts';
import { graphqlRoute } from '../rest/graphql.ts';
import { healthRoutes } from '../rest/health.ts';
import { demoReceivers, hookRoutes } from '../rest/hooks.ts';
import { consoleRoutes } from '../rest/pages/console.ts';
import { docsRoutes } from '../rest/pages/developers/docs.ts';
import { accountRoutes, passwordRoutes } from '../rest/pages/people/account.ts';
import { hostedSignInRoutes } from '../rest/pages/people/hosted-sign-in.ts';
import { joinRoutes } from '../rest/pages/people/join.ts';
import { idpRoutes, peoplePages } from '../rest/pages/people/sign-in.ts';
import { brandRoutes } from '../rest/pages/shoppers/brand.ts';
import { cardFieldsRoutes } from '../rest/pages/shoppers/card-fields.ts';
import { cardholderRoutes } from '../rest/pages/shoppers/cardholder.ts';
import { checkoutRoutes } from '../rest/pages/shoppers/checkout.ts';
import { pluginPageRoutes } from '../rest/pages/shoppers/plugin-pages.ts';
import { threeDsRoutes } from '../rest/pages/shoppers/three-ds.ts';
import type { EmbeddedIdp } from './adapters/embedded-idp/embedded-idp.ts';
import { readSavedMails } from './adapters/mail/mailer.ts';
import { startJobs } from './jobs/jobs.ts';
import { limitConnections, oneAtATime } from './limits/connections.ts';
import { atMostEvery, createLog, type Log } from './observability/log.ts';
import type { Metrics } from './observability/metrics.ts';
import { type DatabaseUrls, openDatabaseServer, prepareDatabase } from './operating/prepare-database.ts';
import { jobsOf } from './registry.ts';
import {
  type ClientTimeouts,
  clientTimeouts,
  createHttpServer,
  drain,
  listen,
  openMetricsServer,
} from './runtime/http-server.ts';
import { schema } from './schema.ts';
import { type Opening, openServices, type Services } from './services.ts';
import type { Config } from './settings/config.ts';
import { readdressDemo } from './settings/demo-credentials.ts';

export interface Platform {
  url: string;
  services: Services;
  /** The embedded identity provider, in which the demo and the tests create users; null with another provider. */
  idp: EmbeddedIdp | null;
  /** Stops accepting requests, completes those in flight, and closes every part. */
  close(): Promise<void>;
}

/** The parts that a test replaces. */
export type Overrides = Partial<Opening> & {
  /** False for a test that runs the jobs itself. */
  jobs?: boolean;
  clientTimeouts?: ClientTimeouts;
  /** 0 for any free port, which the URL then contains. */
  port?: 0;
  /** The database server that `npm start` has started, and stops after the platform. */
  database?: Promise<DatabaseUrls>;
  /** The database of a worker, which the primary process has prepared. */
  prepared?: DatabaseUrls;
  /** Returns the metrics to serve, made from those of this process. */
  shareMetrics?(own: Metrics): Metrics;
};

/** A statement that still runs after this time is left to the database, which completes it or rolls it back. */
const closeMaxMs = 1_000;

/** Starts one server. Parts that were opened are closed when a later step fails. */
export async function startPlatform(config: Config, overrides: Overrides = {}): Promise<Platform> {
  const opened = new AsyncDisposableStack();
  try {
    return await openPlatform(config, overrides, opened);
  } catch (error) {
    // The first failure is the one to report.
    await opened.disposeAsync().catch(() => {});
    throw error;
  }
}

/**
 * Opens the database with its migrations, services, HTTP and jobs in this order. They are closed in the reverse order.
 */
async function openPlatform(given: Config, overrides: Overrides, opened: AsyncDisposableStack): Promise<Platform> {
  const { clock, ownClock, processors, jobs = true, clientTimeouts: timeouts = clientTimeouts } = overrides;
  const server = createHttpServer(timeouts);
  opened.defer(() => void server.close());
  const config = overrides.port === 0 ? await listenOnFreePort(server, given) : given;
  const log = overrides.log ?? createLog({ level: config.logLevel, format: config.logFormat });

  const urls = overrides.prepared ?? (await (overrides.database ?? openDatabaseServer(config, log, opened)));
  if (!overrides.prepared) await prepareDatabase(config, urls, log);
  const { services: own, idp, close } = await openServices(config, urls.url, { clock, ownClock, log, processors });
  opened.defer(() => waitAtMost(closeMaxMs, close()));
  const services: Services = { ...own, metrics: overrides.shareMetrics?.(own.metrics) ?? own.metrics };

  const { hosted } = services.identityProvider;
  let isDraining = false;
  const app = createApp(services, {
    schema,
    graphql: graphqlRoute(services, schema),
    routes: [
      healthRoutes(services, () => isDraining),
      threeDsRoutes(services),
      ...(services.config.isLocal ? [demoReceivers()] : []),
      checkoutRoutes(services),
      cardholderRoutes(services),
      cardFieldsRoutes(services),
      brandRoutes(services),
      docsRoutes(services.config),
      pluginPageRoutes(services),
      hookRoutes(services),
      joinRoutes(services),
      exportRoutes(services),
      peoplePages(services, readSavedMails),
      ...(idp ? [idpRoutes(services, idp), passwordRoutes(services, idp), accountRoutes(services, idp)] : []),
      ...(hosted ? [hostedSignInRoutes(services, hosted)] : []),
      consoleRoutes(),
    ],
  });
  const { connectionsMax: total, connectionsPerAddress: perAddress } = config;
  // Express has made a function of its `trust proxy` setting; 0 is the hop nearest to the server.
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const isProxy = (address: string): boolean => trusts(address, 0);
  limitConnections(server, { ...timeouts, total, perAddress, isProxy }, logClosed(log));
  server.on('request', oneAtATime(app));
  if (!server.listening) await listen(server, config);
  if (config.database.kind === 'embedded' && !overrides.prepared) readdressDemo(config);
  await openMetricsServer(config, services.metrics, opened);
  if (jobs) opened.defer(startJobs(jobsOf(services), services).stop);
  opened.defer(() => {
    isDraining = true;
    return drain(server, config.stopDelayMs);
  });
  return { url: config.publicUrl, services, idp, close: () => opened.disposeAsync() };
}

/** At most one line a minute: an attack must not fill the log. */
function logClosed(log: Log): () => void {
  return atMostEvery(60_000, () =>
    log.warn('Connections are closed: CONNECTIONS_MAX or CONNECTIONS_PER_ADDRESS is reached.'),
  );
}

/** The port must be known before the parts that use the address of the platform. */
async function listenOnFreePort(server: Server, config: Config): Promise<Config> {
  await listen(server, { ...config, port: 0 });
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  const publicUrl = `http://127.0.0.1:${port}`;
  return {
    ...config,
    port,
    publicUrl,
    allowedHosts: [...config.allowedHosts, '127.0.0.1'],
    allowedOrigins: [...config.allowedOrigins, publicUrl],
    invitationRedirectUrl: config.invitationRedirectUrl.replace(config.publicUrl, publicUrl),
  };
}

async function waitAtMost(maxMs: number, closing: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([closing, new Promise<void>((resolve) => (timer = setTimeout(resolve, maxMs)))]);
  clearTimeout(timer);
}

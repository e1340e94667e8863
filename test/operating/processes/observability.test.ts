import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { recordBackup } from '../../../src/database/last-backup.ts';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { startReceiver } from '../../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

const folder = new URL('../../../docs/self-hosting/observability/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
}

let collector: Server;
const bodies: string[] = [];
let platform: TestPlatform;
let account: SeededAccount;
let metrics: string;
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
const unsampledId = 'ffffffffffffffffffffffffffffffff';
let received: Record<string, unknown>;

beforeAll(async () => {
  collector = createServer((request, response) => {
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (text: string) => (body += text));
    request.on('end', () => {
      bodies.push(JSON.stringify([request.url, request.headers['api-key']]), body);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo; // of a server that listens on TCP
  platform = await startTestPlatform({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of%20the%20collector',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  });
  const receiver = await startReceiver();
  account = await (await seedPartner(platform)).account();
  await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
  const { id: paymentInstrumentId } = await account.instrument();
  const charge = { paymentInstrumentId, storeId: account.storeId, amount: 2500, currency: 'USD' };
  await account.api.call('/payments/process', charge, { headers: parent });
  await account.api.call('/payments/process', charge, {
    headers: { traceparent: `00-${unsampledId}-00f067aa0ba902b7-00` },
  });
  await account.charge('tok_visa_declined');
  await deliverWebhooks(platform.services);
  received = receiver.received.at(-1)?.headers ?? {};
  await receiver.close();
  // What happens rarely has no labels before it happens.
  platform.services.metrics.countMirrorRepairs('user', 1);
  platform.services.metrics.replicaRead('primary');
  await recordBackup(platform.services.pool, platform.services.clock.now());
  await fetch(`${platform.url}/health/ready`);
  metrics = await platform.services.metrics.text();
  await platform.close();
  collector.close();
});
afterAll(() => collector.closeAllConnections());

/** The spans that the collector has received. The platform sends the last ones when it stops. */
function spans(): Span[] {
  return bodies
    .filter((_body, index) => index % 2 === 1)
    .flatMap((body) => (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
}

describe('traces', () => {
  test('a call with a traceparent continues its trace: call, statements and processor are spans of it', () => {
    const own = spans().filter((span) => span.traceId === traceId);
    const call = own.find(({ name }) => name === 'POST /api/public/v1/payments/process');
    expect(call?.parentSpanId).toBe('00f067aa0ba902b7');
    expect(own.filter(({ name }) => name === 'processor test purchase')).toHaveLength(1);
    expect(own.filter(({ name }) => /^(SELECT|WITH|INSERT|UPDATE)\b/.test(name)).length).toBeGreaterThan(0);
    const known = new Set(own.map(({ spanId }) => spanId));
    expect(own.filter((span) => span !== call && !known.has(span.parentSpanId ?? ''))).toEqual([]);
  });

  test('a call whose traceparent is not sampled is not recorded', () => {
    expect(spans().filter((span) => span.traceId === unsampledId)).toEqual([]);
  });

  test('a health check has no span', () => {
    expect(spans().filter(({ name }) => name.includes('health'))).toEqual([]);
  });

  test('a webhook attempt is a trace, and the webhook is sent with it', () => {
    const [, sent] = /^00-([\da-f]{32})-[\da-f]{16}-01$/.exec(String(received['traceparent'])) ?? [];
    const attempts = spans().filter(({ name }) => name === 'webhook attempt');
    expect(attempts.map((attempt) => attempt.traceId)).toContain(sent);
  });

  test('the line of the log has the trace', () => {
    const line = platform.logged.find((text) => text.includes(traceId));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId, route: '/api/public/v1/payments/process', status: 200 });
  });

  test('spans are sent to /v1/traces with the headers, and have no secret, card number or email address', () => {
    expect(bodies[0]).toBe(JSON.stringify(['/v1/traces', 'of the collector']));
    const text = bodies.join('\n');
    for (const secret of [account.subKey, '4242424242424242', '@example.com', 'tok_visa'])
      expect(text).not.toContain(secret);
    const names = new Set(spans().flatMap(({ attributes }) => attributes.map(({ key }) => key)));
    expect([...names].sort()).toEqual([
      'db.query.summary',
      'db.system.name',
      'deliveryId',
      'eventId',
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'requestId',
      'transactionId',
    ]);
  });
});

describe('the metrics that queries name exist', () => {
  const rules = (
    parse(read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] }
  ).groups.flatMap((group) => group.rules);
  const { panels } = JSON.parse(read('grafana/platform.json')) as {
    panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
  };
  const queries = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ];

  test.each(queries)('%s', (_name, expr) => {
    const known = labelsByMetric();
    const selected = [...expr.matchAll(/\b((?:platform|nodejs|process)_\w+|up)\b(?:\{([^}]*)\})?/g)];
    expect(selected.length).toBeGreaterThan(0);
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
    for (const [, name = '', matchers = ''] of selected) {
      const labels = known.get(name);
      expect(labels, name).toBeDefined();
      const used = [...[...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label), ...grouped];
      // Prometheus adds `job`, and renames one of the server.
      const given = used.map((label) => (label === 'exported_job' ? 'job' : label));
      expect(given.filter((label, at) => used[at] !== 'job' && !labels?.has(label))).toEqual([]);
      const [, jobs = ''] = /exported_job[=!]~?"([^"]*)"/.exec(matchers) ?? [];
      for (const job of jobs.split('|')) expect(metrics).toContain(`${name}${job && `{job="${job}"} `}`);
    }
    // Brackets of a query that cannot be parsed do not match.
    for (const [open, close] of ['()', '{}', '[]'].map((pair) => [...pair]))
      expect(expr.split(open ?? '').length).toBe(expr.split(close ?? '').length);
  });

  test('every alert has what to do on the page', () => {
    const page = readFileSync(new URL('../observability.md', folder), 'utf8');
    expect([...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name]) => name)).toEqual(
      rules.map(({ alert }) => alert),
    );
  });

  test('charges are counted by mode, outcome and code, and what they captured by currency', () => {
    expect(metrics).toContain('platform_charges_total{mode="test",outcome="succeeded",code="none"} 2');
    expect(metrics).toContain('platform_captured_amount_total{mode="test",currency="USD"} 5000');
    expect(metrics).toMatch(/platform_charges_total\{mode="test",outcome="declined",code="card_declined"\} 1/);
  });

  /** The labels of each metric that a server answers. Prometheus itself adds `up`. */
  function labelsByMetric(): Map<string, Set<string>> {
    const known = new Map<string, Set<string>>([['up', new Set()]]);
    // A metric whose events have not happened has its type only.
    for (const [, name = ''] of metrics.matchAll(/^# TYPE (\w+)/gm)) known.set(name, new Set());
    for (const [, name = '', labels = ''] of metrics.matchAll(/^(\w+)(?:\{([^}]*)\})? \S+$/gm)) {
      const names = known.get(name) ?? new Set();
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) names.add(label);
      known.set(name, names);
    }
    return known;
  }
});

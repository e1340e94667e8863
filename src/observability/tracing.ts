import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Config } from '../settings/config.ts';
import { platformVersion } from '../settings/packages.ts';
import { atMostEvery, type Log } from './log.ts';

type Query = (...given: unknown[]) => Promise<unknown>;

/** Records each statement of a call as a span: its kind and first table, but neither its text nor its values. */
export function traceStatements(pool: pg.Pool, tracing: Tracing): void {
  if (!tracing.isOn) return;
  const traced = new WeakSet<pg.PoolClient>();
  const trace = (requested: Query): Query =>
    function query(...given) {
      // The pool calls its clients with a callback, for statements that are already recorded.
      if (typeof given.at(-1) === 'function') return requested(...given);
      const summary = summaryOf(given[0]);
      return tracing.span(summary, { 'db.system.name': 'postgresql', 'db.query.summary': summary }, () =>
        requested(...given),
      );
    };
  pool.query = trace(pool.query.bind(pool)) as typeof pool.query;
  const connect = pool.connect.bind(pool) as (...given: unknown[]) => Promise<pg.PoolClient> | undefined;
  const connectTraced = (...given: unknown[]) => {
    if (given.length > 0) return connect(...given);
    return connect()?.then((client) => {
      if (!traced.has(client)) client.query = trace(client.query.bind(client)) as typeof client.query;
      traced.add(client);
      return client;
    });
  };
  pool.connect = connectTraced as typeof pool.connect;
}

/** Such as `INSERT payments`. */
function summaryOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : (statement as { text?: string }).text;
  const [, kind = 'statement'] = /^\s*([A-Za-z]+)/.exec(text ?? '') ?? [];
  const [, table] = /\b(?:from|into|update|join)\s+"?([A-Za-z_]+"?(?:\."?[A-Za-z_]+"?)?)/i.exec(text ?? '') ?? [];
  return [kind.toUpperCase(), ...(table === undefined ? [] : [table.replaceAll('"', '')])].join(' ');
}

interface SpanExporter {
  add(span: FinishedSpan): void;
  /** Sends the remaining spans, and waits for it. */
  close(): Promise<void>;
}

const batchMax = 512;
const heldMax = 4096;
const everyMs = 1_000;
const answerMaxMs = 5_000;
const warnEveryMs = 60_000;

/**
 * Sends spans in batches by OTLP over HTTP, as JSON. A slow or unavailable collector does not delay the platform: spans
 * above a bound, and batches that it rejects, are dropped.
 */
function createSpanExporter({ endpoint, headers }: NonNullable<Config['tracing']>, log: Log): SpanExporter {
  let held: FinishedSpan[] = [];
  let sending: Promise<void> | null = null;
  const resource = {
    attributes: attributesOf({ 'service.name': 'partner-payments-platform', 'service.version': platformVersion() }),
  };

  async function send(spans: readonly FinishedSpan[]): Promise<void> {
    const body = {
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'platform' }, spans: spans.map(toOtlp) }] }],
    };
    try {
      const answer = await fetch(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(answerMaxMs),
      });
      await answer.body?.cancel();
      if (!answer.ok) warn(`it answered ${answer.status}`);
    } catch (error) {
      warn(error instanceof Error ? error.name : 'unknown');
    }
  }

  const warn = atMostEvery(warnEveryMs, (_unlogged, reason: string) =>
    log.warn({ reason }, 'Traces were not accepted by OTEL_EXPORTER_OTLP_ENDPOINT, and are lost.'),
  );

  function flush(): void {
    if (sending || held.length === 0) return;
    const batch = held.slice(0, batchMax);
    held = held.slice(batchMax);
    sending = send(batch).finally(() => (sending = null));
  }

  const timer = setInterval(flush, everyMs);
  timer.unref();
  return {
    add(span) {
      if (held.length >= heldMax) return;
      held.push(span);
      if (held.length >= batchMax) flush();
    },
    async close() {
      clearInterval(timer);
      await sending;
      if (held.length > 0) await send(held);
      held = [];
    },
  };
}

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };

/** The JSON form of a span in OTLP: ids in hexadecimal digits, times in nanoseconds as text. */
function toOtlp({ traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, hasFailed }: FinishedSpan) {
  return {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(attributes),
    status: { code: hasFailed ? 2 : 0 },
  };
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }));
}

const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n);

type SpanKind = 'server' | 'client' | 'internal';
type Attributes = Readonly<Record<string, string | number>>;

/** A finished span. Attributes are names and codes of the platform, and never values that a caller sent. */
interface FinishedSpan {
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  kind: SpanKind;
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  hasFailed: boolean;
}

interface OpenSpan {
  end(name: string, attributes: Attributes, hasFailed: boolean): void;
}

/**
 * Traces of calls, statements, processor calls and webhook attempts, sent by OTLP. Without an endpoint it does nothing.
 */
export interface Tracing {
  isOn: boolean;
  /** Runs `run` within the span of a call. If the header `traceparent` is valid, it names the parent. */
  openCall(traceparent: string | undefined, run: (span: OpenSpan) => void): void;
  /** A span around `run`. Without a parent span, it is recorded only if it is a `root`. */
  span<Result>(
    name: string,
    attributes: Attributes,
    run: () => Promise<Result>,
    options?: { root?: boolean },
  ): Promise<Result>;
  /** The current trace. */
  traceId(): string | undefined;
  /** The header for a request that leaves the platform. */
  traceparent(): string | undefined;
  close(): Promise<void>;
}

/** Records nothing. */
export const noTracing: Tracing = {
  isOn: false,
  openCall: (_traceparent, run) => run({ end() {} }),
  span: (_name, _attributes, run) => run(),
  traceId: () => undefined,
  traceparent: () => undefined,
  close: async () => {},
};

interface Place {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

export function createTracing(config: Config['tracing'], log: Log): Tracing {
  if (config === null) return noTracing;
  const exporter = createSpanExporter(config, log);
  const places = new AsyncLocalStorage<Place>();

  function below(parent: Omit<Place, 'spanId'> | undefined): Place {
    const fresh = parent ?? { traceId: randomBytes(16).toString('hex'), isSampled: true };
    return { traceId: fresh.traceId, isSampled: fresh.isSampled, spanId: randomBytes(8).toString('hex') };
  }
  function finish(
    { traceId, spanId, isSampled }: Place,
    rest: Omit<FinishedSpan, 'traceId' | 'spanId' | 'endedAt'>,
  ): void {
    if (isSampled) exporter.add({ traceId, spanId, endedAt: now(), ...rest });
  }

  return {
    isOn: true,
    openCall(traceparent, run) {
      const parent = parentOf(traceparent);
      const place = below(parent);
      const startedAt = now();
      const parentId = parent?.spanId ?? null;
      places.run(place, run, {
        end: (name, attributes, hasFailed) =>
          finish(place, { parentId, name, kind: 'server', startedAt, attributes, hasFailed }),
      });
    },
    async span(name, attributes, run, { root = false } = {}) {
      const parent = places.getStore();
      if (!parent && !root) return run();
      const place = below(parent);
      const span = { parentId: parent?.spanId ?? null, name, kind: 'client' as const, startedAt: now(), attributes };
      try {
        const result = await places.run(place, run);
        finish(place, { ...span, hasFailed: false });
        return result;
      } catch (error) {
        finish(place, { ...span, hasFailed: true });
        throw error;
      }
    },
    traceId: () => places.getStore()?.traceId,
    traceparent() {
      const place = places.getStore();
      return place && `00-${place.traceId}-${place.spanId}-${place.isSampled ? '01' : '00'}`;
    },
    close: exporter.close,
  };
}

/** As W3C Trace Context requires: a header in another format, or with only zeros, is ignored. */
function parentOf(traceparent: string | undefined): Place | undefined {
  const [, version, traceId, spanId, flags, more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '', 16) & 1) === 1 };
}

const now = (): number => performance.timeOrigin + performance.now();

import type { Config } from './config.ts';
import type { Log } from './log.ts';
import type { Attributes, FinishedSpan, SpanKind } from './tracing.ts';
import { platformVersion } from './version.ts';

export interface SpanExporter {
  add(span: FinishedSpan): void;
  /** Sends what is left, and waits for it. */
  close(): Promise<void>;
}

const batchMax = 512;
const heldMax = 4096;
const everyMs = 1_000;
const answerMaxMs = 5_000;
const warnEveryMs = 60_000;

/**
 * Sends spans in batches by OTLP over HTTP, as JSON. A collector that is slow or away costs the platform nothing: spans
 * above a bound, and batches that it does not take, are dropped.
 */
export function createSpanExporter({ endpoint, headers }: NonNullable<Config['tracing']>, log: Log): SpanExporter {
  let held: FinishedSpan[] = [];
  let sending: Promise<void> | null = null;
  let warnAt = 0;
  const resource = {
    attributes: attributesOf({ 'service.name': 'partner-payments-platform', 'service.version': platformVersion() }),
  };

  async function send(spans: readonly FinishedSpan[]): Promise<void> {
    const body = {
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'platform' }, spans: spans.map(wire) }] }],
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

  function warn(reason: string): void {
    if (performance.now() < warnAt) return;
    warnAt = performance.now() + warnEveryMs;
    log.warn({ reason }, 'Traces were not taken by OTEL_EXPORTER_OTLP_ENDPOINT, and are lost.');
  }

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
function wire({ traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, hasFailed }: FinishedSpan) {
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

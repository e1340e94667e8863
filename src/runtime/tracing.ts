import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { createSpanExporter } from './span-exporter.ts';

export type SpanKind = 'server' | 'client' | 'internal';
export type Attributes = Readonly<Record<string, string | number>>;

/** A finished span. Attributes are names and codes of the platform: never what a caller sent. */
export interface FinishedSpan {
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
  /** Runs `run` within the span of a call, whose parent the header `traceparent` names, if it is valid. */
  openCall(traceparent: string | undefined, run: (span: OpenSpan) => void): void;
  /** A span around `run`. Without a span around it, it is recorded only if it is a `root`. */
  span<Result>(
    name: string,
    attributes: Attributes,
    run: () => Promise<Result>,
    options?: { root?: boolean },
  ): Promise<Result>;
  /** The trace of what runs now. */
  traceId(): string | undefined;
  /** The header for a request that leaves the platform. */
  traceparent(): string | undefined;
  close(): Promise<void>;
}

const off: Tracing = {
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
  if (config === null) return off;
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

/** As W3C Trace Context demands: of another form, or of zeros only, the header is ignored. */
function parentOf(traceparent: string | undefined): Place | undefined {
  const [, version, traceId, spanId, flags, more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '', 16) & 1) === 1 };
}

const now = (): number => performance.timeOrigin + performance.now();

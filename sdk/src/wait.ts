import type { ApiCall } from './call.ts';
import { TimeoutError } from './errors.ts';
import type { components } from './openapi.ts';
import type { CallOptions } from './options.ts';
import { pause } from './retry.ts';

type PaymentResult = components['schemas']['PaymentResult'];

export interface WaitOptions {
  /** The milliseconds to wait at most. By default 90,000: an unknown outcome is resolved within 60 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

const firstMs = 250;
const longestMs = 4_000;

export async function waitForOutcome(
  payments: { get(id: string, options?: CallOptions): ApiCall<PaymentResult> },
  id: string,
  { timeoutMs = 90_000, signal }: WaitOptions = {},
): Promise<PaymentResult> {
  const endsMs = performance.now() + timeoutMs;
  for (let nextMs = firstMs; ; nextMs = Math.min(longestMs, nextMs * 2)) {
    const result = await payments.get(id, signal ? { signal } : {});
    if (result.payment.subStatus !== 'processing') return result;
    if (performance.now() + nextMs > endsMs)
      throw new TimeoutError(
        `The outcome of ${result.payment.id} was not known within ${timeoutMs} ms. Ask again later.`,
      );
    await pause(nextMs, signal);
  }
}

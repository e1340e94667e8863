import type { Answered, RateLimit } from './call.ts';
import { type ErrorCode, errorOf, type Failure, type Issue, type PlatformError, WrongAddressError } from './errors.ts';
import { askedDelay } from './retry.ts';

/** What an attempt was answered, as text. */
export interface Received {
  url: string;
  response: Response;
  text: string;
  /** What may be shown of the key. */
  keyShown: string;
  idempotencyKey: string | undefined;
}

/** The answer, or the error that it is. */
export function readAnswer<T>(received: Received): Answered<T> | PlatformError {
  const { response } = received;
  const { status, headers } = response;
  const body = jsonOf(received);
  if (body === undefined) return strangerError(received);
  if (!response.ok) return platformError(received, body);
  return {
    data: body as T, // the OpenAPI document types the answer
    status,
    requestId: headers.get('Request-Id') ?? undefined,
    replayed: headers.get('Idempotent-Replayed') === 'true',
    rateLimit: rateLimitOf(headers),
    ignoredFields: headers.get('Ignored-Fields')?.split(/, */) ?? [],
    headers,
  };
}

function jsonOf({ response, text }: Received): object | undefined {
  if (!response.headers.get('Content-Type')?.includes('json')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

interface ErrorBody {
  code?: ErrorCode;
  message?: string;
  /** Of the plugin endpoints. */
  issues?: Issue[];
  data?: { issues?: Issue[]; reason?: string } & Record<string, unknown>;
}

function platformError(received: Received, body: ErrorBody): PlatformError {
  const { status, headers } = received.response;
  const issues = body.data?.issues ?? body.issues;
  const reason = body.data?.reason ?? issues?.find((issue) => issue.reason !== undefined)?.reason;
  return errorOf(`${body.message ?? `The platform answered ${status}.`}${adviceOn(received)}`, {
    ...failureOf(received),
    ...(body.code !== undefined && { code: body.code }),
    ...(reason !== undefined && { reason }),
    ...(issues !== undefined && { issues }),
    ...(body.data !== undefined && { data: body.data }),
    retryAfterMs: askedDelay(headers, Date.now()) ?? 0,
  });
}

function adviceOn({ response, keyShown, url }: Received): string {
  if (response.status === 401)
    return ` The key begins with ${keyShown}. Check that it is a key of ${new URL(url).origin}, whole, and not revoked.`;
  if (response.status === 413) return ' Send less: 1 MiB in a body, 5 MiB to deploy a plugin.';
  return '';
}

/** An answer that the platform does not give: of a proxy, or of another server. */
function strangerError(received: Received): PlatformError {
  const { url, response } = received;
  const { status, headers } = response;
  const failure = failureOf(received);
  const type = headers.get('Content-Type') ?? 'no content type';
  const what = `${new URL(url).origin} answered ${status} with ${type}`;
  if (status >= 500 || status === 429 || status === 408 || status === 413)
    return errorOf(`${what}: a proxy before the platform, most likely.${adviceOn(received)}`, {
      ...failure,
      retryAfterMs: askedDelay(headers, Date.now()) ?? 0,
    });
  const target = headers.get('Location');
  if (target !== null || response.type === 'opaqueredirect')
    return new WrongAddressError(
      `${what}: a redirect to ${originOf(target, url)}. Set baseUrl to the address of the platform itself.`,
      failure,
    );
  return new WrongAddressError(
    `${what}, where the platform answers JSON. Set baseUrl to the address of the platform, such as ` +
      'https://pay.example.com.',
    failure,
  );
}

function originOf(target: string | null, base: string): string {
  return target !== null && URL.canParse(target, base) ? new URL(target, base).origin : 'another address';
}

function failureOf({ response, idempotencyKey }: Received): Failure & { status: number } {
  const requestId = response.headers.get('Request-Id');
  return {
    status: response.status,
    ...(requestId !== null && { requestId }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** `"standard";r=149;t=1` */
function rateLimitOf(headers: Headers): RateLimit | undefined {
  const [, plan, remaining, seconds] = /^"([^"]*)";r=(\d+);t=(\d+)$/.exec(headers.get('RateLimit') ?? '') ?? [];
  if (plan === undefined) return undefined;
  return { plan, remaining: Number(remaining), resetMs: Number(seconds) * 1000 };
}

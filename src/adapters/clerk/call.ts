import { IdpError, type IdpErrorCode } from '../../ports/identity-provider.ts';

/** The fields of an error of the vendor's client. Its class is not tested: several copies of it may be installed. */
interface ClerkFailure {
  status?: number;
  retryAfter?: number;
  errors?: readonly { code?: string; message?: string }[];
}

export type Call = <Result>(what: string, request: () => Promise<Result>) => Promise<Result>;

/**
 * Calls Clerk with a timeout, and translates its errors into those of the port. The client itself would wait for
 * minutes, during which a transaction and its caller wait too. An answer after the timeout is dropped; the next read
 * returns its effect.
 */
export function createCall(timeoutMs: number): Call {
  return async (what, request) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new IdpError('UNAVAILABLE', `Clerk did not answer within ${timeoutMs} ms (${what}).`)),
      timeoutMs,
    );
    try {
      return await Promise.race([request(), late.promise]);
    } catch (error) {
      throw error instanceof IdpError ? error : failureOf(what, error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function failureOf(what: string, error: unknown): IdpError {
  // every field of it is optional
  const { status, retryAfter, errors } = (typeof error === 'object' && error !== null ? error : {}) as ClerkFailure;
  const clerkCode = errors?.[0]?.code;
  const detail = clerkCode === undefined ? '' : ` (${clerkCode})`;
  const message = `Clerk answered ${status ?? 'nothing'}${detail} to ${what}.`;
  return new IdpError(codeOf(status, clerkCode), message, {
    cause: error,
    ...(retryAfter !== undefined && { retryAfterS: retryAfter }),
  });
}

/** Clerk's codes for an object that exists already. */
const duplicates: ReadonlySet<string | undefined> = new Set(['duplicate_record', 'form_identifier_exists']);

function codeOf(status: number | undefined, clerkCode: string | undefined): IdpErrorCode {
  if (status === 404) return 'NOT_FOUND';
  if (status === 429) return 'RATE_LIMITED';
  if (status === 409 || duplicates.has(clerkCode)) return 'CONFLICT';
  // 401 and 403 are about the platform's secret key and not about the request.
  return status === 400 || status === 422 ? 'REJECTED' : 'UNAVAILABLE';
}

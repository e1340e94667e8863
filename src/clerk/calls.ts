import { IdpError, type IdpErrorCode } from '../ports/identity-provider.ts';

/** What the vendor's client throws, whatever its class: which of several copies of it a package brought is nobody's business. */
interface ClerkFailure {
  status?: number;
  retryAfter?: number;
  errors?: readonly { code?: string; message?: string }[];
}

export type Call = <Result>(what: string, request: () => Promise<Result>) => Promise<Result>;

/**
 * Asks Clerk, and puts what goes wrong in the port's words. The client itself would wait for minutes, while our transaction and the
 * person behind it wait, too; an answer that comes after the time is dropped, and what it did is found by whoever asks next.
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
  const { status, retryAfter, errors } = (typeof error === 'object' && error !== null ? error : {}) as ClerkFailure; // every field of it is optional
  const clerkCode = errors?.[0]?.code;
  const message = `Clerk answered ${status ?? 'nothing'}${clerkCode === undefined ? '' : ` (${clerkCode})`} to ${what}.`;
  return new IdpError(codeOf(status, clerkCode), message, {
    cause: error,
    ...(retryAfter !== undefined && { retryAfterS: retryAfter }),
  });
}

/** Clerk's own words for something of which there is one already. */
const duplicates: ReadonlySet<string | undefined> = new Set(['duplicate_record', 'form_identifier_exists']);

function codeOf(status: number | undefined, clerkCode: string | undefined): IdpErrorCode {
  if (status === 404) return 'NOT_FOUND';
  if (status === 429) return 'RATE_LIMITED';
  if (status === 409 || duplicates.has(clerkCode)) return 'CONFLICT';
  // A refusal of our own secret key says nothing about what was asked.
  return status === 400 || status === 422 ? 'REJECTED' : 'UNAVAILABLE';
}

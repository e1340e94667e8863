/** A value that was refused, by the path of its field. */
export interface Issue {
  path: string;
  message: string;
}

/** An answer of the platform that is not the expected one, or none at all. */
export class Failure extends Error {
  readonly code: string;
  readonly reason: string | null;
  readonly issues: readonly Issue[];
  readonly requestId: string | null;

  constructor(message: string, about: { code: string; reason?: string; issues?: Issue[]; requestId?: string | null }) {
    super(message);
    this.code = about.code;
    this.reason = about.reason ?? null;
    this.issues = about.issues ?? [];
    this.requestId = about.requestId ?? null;
  }

  /** Nothing tells whether the platform did what it was asked: the same call may be sent again with its key. */
  get isUnknown(): boolean {
    return this.code === 'NETWORK' || this.code === 'SERVICE_UNAVAILABLE' || this.code === 'INTERNAL_SERVER_ERROR';
  }

  get isSignedOut(): boolean {
    return this.code === 'NOT_AUTHORIZED';
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(error instanceof Error ? error.message : String(error), { code: 'CONSOLE' });
}

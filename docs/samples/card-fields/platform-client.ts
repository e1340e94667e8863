/** What the sample reads of the platform's answers; the API reference has all fields. */
export interface ClientSession {
  clientSecret: string;
  scriptUrl: string;
  scriptIntegrity: string;
  returnUrl: string;
}

export interface Payment {
  id: string;
  status: 'pending' | 'succeeded' | 'declined' | 'failed';
  requireAction: string | null;
  requireActionData: { url: string } | null;
}

export class Refused extends Error {
  readonly status: number;

  constructor(path: string, status: number, message: string) {
    super(`${path} answered ${status}: ${message}`);
    this.status = status;
  }
}

export type PlatformClient = <Answer>(path: string, body?: object, idempotencyKey?: string) => Promise<Answer>;

/** Calls the platform with a sub-key: with GET, or with POST if there is a body. */
export function platformClient(platformUrl: string, key: string): PlatformClient {
  return async <Answer>(path: string, body?: object, idempotencyKey?: string): Promise<Answer> => {
    const response = await fetch(`${platformUrl}/api/public/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Refused(path, response.status, (answer as { message: string }).message);
    return answer as Answer;
  };
}

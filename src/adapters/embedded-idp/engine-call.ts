import { storable } from '../../kit/storable.ts';

/** The header in which the address of a client is handed to the engine. */
export const addressHeader = 'x-client-address';

/** Who calls, as the session shows it to its user. */
export interface Client {
  ip: string;
  userAgent: string;
}

export function headersOf({ ip, userAgent, cookie }: Client & { cookie?: string }): Headers {
  const headers = new Headers({ 'user-agent': userAgent.slice(0, 500), [addressHeader]: ip });
  if (cookie !== undefined) headers.set('cookie', cookie);
  return headers;
}

/** The cookies of one kind among those of a header. */
export function cookieNamed(header: string, name: 'two_factor' | 'session_token'): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.slice(0, pair.indexOf('=')).endsWith(`platform.${name}`)).join('; ');
}

/** The value of a cookie of the engine, or of a parameter, as text that the database can look for; '' for any other. */
export function textIn(value: string): string {
  try {
    const text = decodeURIComponent(value);
    return storable(text) ? text : '';
  } catch {
    return '';
  }
}

export type EngineAnswer =
  | { ok: true; body: unknown; setCookies: string[] }
  /** `code` is the engine's name of the refusal. */
  | { ok: false; status: number; code: string };

/** Runs a call of the engine. An internal error of it is thrown. */
export async function answerOf(call: () => Promise<Response>): Promise<EngineAnswer> {
  const answer = await call();
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok) return { ok: true, body, setCookies: answer.headers.getSetCookie() };
  if (answer.status >= 500) throw new Error(`The identity provider's engine answered ${answer.status}.`);
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
  return { ok: false, status: answer.status, code };
}

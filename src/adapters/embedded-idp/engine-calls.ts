import { AsyncLocalStorage } from 'node:async_hooks';
import { availableParallelism } from 'node:os';
import { type ClockCheck, clockFault } from '../../lib/clock.ts';
import { type Cookie, cookieAt } from '../../lib/cookies.ts';
import { networkOf } from '../../lib/network.ts';
import { isOutage } from '../../lib/outage.ts';
import { storable } from '../../lib/text.ts';
import { IdpError } from '../../ports/identity-provider.ts';
import type { Engine, EngineOptions } from './engine.ts';

/** The header in which the client's address is passed to the engine. */
export const addressHeader = 'x-client-address';

/** The client of a call, as its session shows it to the user. */
export interface Client {
  ip: string;
  userAgent: string;
}

export function headersOf({ ip, userAgent, cookie }: Client & { cookie?: string }): Headers {
  const headers = new Headers({ 'user-agent': userAgent.slice(0, 500), [addressHeader]: ip });
  if (cookie !== undefined) headers.set('cookie', cookie);
  return headers;
}

/** What the names of all cookies of the engine begin with, and their options. */
export function engineCookie(publicUrl: string): Cookie {
  return cookieAt(publicUrl, 'platform');
}

/** Selects the cookies of one kind among those of a header. */
export type SelectCookie = (header: string, kind: 'two_factor' | 'session_token') => string;

/** Another host can set a cookie without the prefix of this one's names: the names are compared as a whole. */
export function cookieSelector(publicUrl: string): SelectCookie {
  const { name } = engineCookie(publicUrl);
  return (header, kind) => {
    const pairs = header.split(';').map((pair) => pair.trim());
    return pairs.filter((pair) => pair.startsWith(`${name}.${kind}=`)).join('; ');
  };
}

/**
 * The value of an engine cookie, or of a parameter, as text that the database can search for; '' for any other value.
 */
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

/** Runs a call of the engine. Throws if the engine has an internal error. */
export async function answerOf(call: () => Promise<Response>): Promise<EngineAnswer> {
  const answer = await call();
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok) return { ok: true, body, setCookies: answer.headers.getSetCookie() };
  if (answer.status >= 500) throw new Error(`The identity provider's engine answered ${answer.status}.`);
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
  return { ok: false, status: answer.status, code };
}

/*
 * The engine answers an error of the database with an error of its own, without the cause, and passes the original
 * error to its logger.
 */

const calls = new AsyncLocalStorage<{ outage: unknown }>();

/** For the logger of the engine: records an outage among the logged values, for the call in which it occurred. */
export function noteOutage(logged: readonly unknown[]): void {
  const call = calls.getStore();
  const outage = logged.find(isOutage);
  if (call && outage !== undefined) call.outage = outage;
}

/** Wraps the functions of the engine, so that they throw the original error of an outage. */
export function throwingOutages<Api extends object>(api: Api): Api {
  return new Proxy(api, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => run(async () => (await Reflect.apply(value, target, given)) as unknown);
    },
  });
}

function run(call: () => Promise<unknown>): Promise<unknown> {
  const noted: { outage: unknown } = { outage: undefined };
  return calls.run(noted, async () => {
    try {
      const answer = await call();
      if (answer instanceof Response && answer.status >= 500 && noted.outage !== undefined) throw noted.outage;
      return answer;
    } catch (error) {
      throw noted.outage ?? error;
    }
  });
}

/** A processor core is left for everything else. */
const hashesAtOnceMax = Math.max(1, Math.min(2, availableParallelism() - 1));
let free = hashesAtOnceMax;
/** What waits, by its source. Sources take turns, in the order of the map. */
const waiting = new Map<string, (() => void)[]>();

/**
 * Runs work that hashes a password, two at a time, or one on a machine with two cores. A process has four threads for
 * such work, and opening a database connection needs one too: many concurrent sign-ins must not delay payments. Sources
 * take turns, so that the many attempts of one delay another by one hash. A source is the network of an address, or a
 * name for work of other kinds.
 */
export async function hashing<Result>(of: string, work: () => Promise<Result>): Promise<Result> {
  const source = networkOf(of);
  if (free > 0) free--;
  else
    await new Promise<void>((begin) => {
      const queue = waiting.get(source);
      if (queue) queue.push(begin);
      else waiting.set(source, [begin]);
    });
  try {
    return await work();
  } finally {
    beginNext();
  }
}

function beginNext(): void {
  const [next] = waiting;
  if (!next) return void free++;
  const [source, queue] = next;
  const begin = queue.shift();
  waiting.delete(source);
  if (queue.length > 0) waiting.set(source, queue);
  begin?.();
}

/** A password as the engine stores it. */
export async function hashPassword(password: string): Promise<string> {
  // Loaded with the first password, like the engine.
  const { hashPassword: hash } = await import('better-auth/crypto');
  return hashing('new-account', () => hash(password));
}

/** The token of a link to choose another password. */
export interface IssuedReset {
  email: string;
  token: string;
}

const issued = new AsyncLocalStorage<IssuedReset[]>();

/** Called by the engine when it has created a token, which it passes only here. */
export function noteReset(reset: IssuedReset): void {
  issued.getStore()?.push(reset);
}

/** The token that the engine creates while `ask` runs. Null without an account. */
export function resetIssuedBy(ask: () => Promise<unknown>): Promise<IssuedReset | null> {
  const resets: IssuedReset[] = [];
  return issued.run(resets, async () => {
    await ask();
    return resets[0] ?? null;
  });
}

export type LazyEngine = () => Promise<Engine>;

/**
 * Loads the engine (about 700 files) with the first call that needs it, which makes the start faster. The engine uses
 * only the clock of its process, and deletes expired rows by it: while that clock is off, the engine is not used.
 */
export function engineOnDemand(options: EngineOptions, machine: Pick<ClockCheck, 'aheadMs'>): LazyEngine {
  let loading: Promise<Engine> | undefined;
  return async () => {
    const fault = clockFault(machine.aheadMs());
    if (fault !== null) throw new IdpError('UNAVAILABLE', fault);
    return (loading ??= import('./engine.ts').then(({ createEngine }) => createEngine(options)));
  };
}

/** A code is accepted in its own period, the one before it and the one after it. */
export const totpPeriodS = 30;

const isTotp = (code: string): boolean => /^\d{6}$/.test(code);

/** Checks a code of an authenticator app, or uses up a backup code, for the session or the sign-in of the cookie. */
export function checkCode({ api }: Engine, code: string, headers: Headers): Promise<EngineAnswer> {
  const verify = isTotp(code) ? api.verifyTOTP : api.verifyBackupCode;
  return answerOf(() => verify({ body: { code }, headers, asResponse: true }));
}

/** Whether a right code was not used before. A backup code never was. */
export async function isUnused(engine: Engine, userId: string, code: string): Promise<boolean> {
  return !isTotp(code) || takeCode(engine, userId, code);
}

/**
 * Accepts a code of an authenticator app once; false if it was used before, so that a code that was observed is
 * useless.
 */
export async function takeCode(engine: Engine, userId: string, code: string): Promise<boolean> {
  const { internalAdapter } = await engine.$context;
  const identifier = `used-code/${userId}/${code}`;
  // A look-up deletes expired values, so that the same code is accepted again when it recurs by chance.
  await internalAdapter.findVerificationValue(identifier);
  const expiresAt = new Date(Date.now() + 4 * totpPeriodS * 1000);
  return internalAdapter.reserveVerificationValue({ identifier, value: 'used', expiresAt });
}

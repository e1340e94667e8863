import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseCookie, serialize as serializeCookie } from 'cookie';
import type { Request, Response } from 'express';
import Negotiator from 'negotiator';
import { type Cookie, cookieAt } from '../../src/lib/cookies.ts';
import { splitAddress } from '../../src/lib/network.ts';
import type { Services } from '../../src/services.ts';
import { type Language, languageNamed, languages, type Words, wordsIn } from '../../src/theme/words.ts';
import { exchangeOf } from './exchange.ts';

/** The value of a cookie; empty without it. */
export function cookieNamed({ headers: { cookie = '' } }: Pick<IncomingMessage, 'headers'>, { name }: Cookie): string {
  return parseCookie(cookie)[name] ?? '';
}

/** Changes are made at other paths than exports, which read the same. */
const wroteCookie = (publicUrl: string): Cookie => cookieAt(publicUrl, 'platform_wrote', { sameSite: 'strict' });

/** Whether the browser has just changed something, so that a replica may not show it yet. */
export function hasJustWritten(request: Request): boolean {
  return cookieNamed(request, wroteCookie(exchangeOf(request).publicUrl)) === '1';
}

/** Makes the browser read from the primary for as long as the replica may be behind. */
export function noteWrite({ config: { database, publicUrl } }: Services, response: Response): void {
  if (database.kind !== 'server' || !database.replica) return;
  const { name, options } = wroteCookie(publicUrl);
  response.cookie(name, '1', { ...options, maxAge: database.replica.maxLagMs });
}

/**
 * Whether a browser opens the address or sends a form to it: it accepts `text/html`, and prefers it to JSON. Scripts,
 * including those of pages, send another Accept header, or `*`.
 */
export function acceptsPage(request: Pick<IncomingMessage, 'headers'>): boolean {
  return new Negotiator(request).mediaType(['application/json', 'text/html']) === 'text/html';
}

const yearS = 31_536_000;

const languageCookie = (request: PageRequest): Cookie => cookieAt(exchangeOf(request).publicUrl, 'lang');

type PageRequest = Pick<IncomingMessage, 'headers' | 'url'> & { originalUrl?: string };

/** The words of a visitor's language. */
export function wordsFor(request: PageRequest, response?: ServerResponse, isEnglishOnly = false): Words {
  return wordsIn(isEnglishOnly ? 'en' : languageFor(request, response));
}

/**
 * A visitor's language: that of `?lang=`, which is stored in a cookie, the stored one, or the best that the browser
 * accepts.
 */
export function languageFor(request: PageRequest, response?: ServerResponse): Language {
  const requested = askedIn(request);
  if (requested !== undefined && response && !response.headersSent)
    remember(languageCookie(request), response, requested);
  return (
    requested ??
    languageNamed(cookieNamed(request, languageCookie(request))) ??
    languageNamed(new Negotiator(request).language(Object.keys(languages))) ??
    'en'
  );
}

function askedIn({ originalUrl, url = '/' }: PageRequest): Language | undefined {
  return languageNamed(new URLSearchParams(splitAddress(originalUrl ?? url).query).get('lang'));
}

function remember({ name, options }: Cookie, response: ServerResponse, language: Language): void {
  const cookie = serializeCookie(name, language, { ...options, maxAge: yearS });
  response.appendHeader('Set-Cookie', cookie);
}

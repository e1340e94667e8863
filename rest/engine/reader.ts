import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import Negotiator from 'negotiator';
import { splitAddress } from '../../src/lib/network.ts';
import type { Services } from '../../src/services.ts';
import { type Language, languageNamed, languages, type Words, wordsIn } from '../../src/theme/words.ts';

/** The value of a cookie; empty without it. */
export function cookieNamed({ headers: { cookie = '' } }: Pick<IncomingMessage, 'headers'>, name: string): string {
  return parseCookie(cookie)[name] ?? '';
}

const name = 'platform_wrote';

/** Whether the browser has just changed something, so that a replica may not show it yet. */
export function hasJustWritten(request: Request): boolean {
  return cookieNamed(request, name) === '1';
}

/** Makes the browser read from the primary for as long as the replica may be behind. */
export function noteWrite({ config: { database, publicUrl } }: Services, response: Response): void {
  if (database.kind !== 'server' || !database.replica) return;
  response.cookie(name, '1', {
    path: '/graphql',
    maxAge: database.replica.maxLagMs,
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
  });
}

/**
 * Whether a browser opens the address or sends a form to it: it accepts `text/html`, and prefers it to JSON. Scripts,
 * including those of pages, send another Accept header, or `*`.
 */
export function acceptsPage(request: Pick<IncomingMessage, 'headers'>): boolean {
  return new Negotiator(request).mediaType(['application/json', 'text/html']) === 'text/html';
}

const cookieName = 'lang';
const yearS = 31_536_000;

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
  if (requested !== undefined && response && !response.headersSent) remember(response, requested);
  return (
    requested ??
    languageNamed(cookieNamed(request, cookieName)) ??
    languageNamed(new Negotiator(request).language(Object.keys(languages))) ??
    'en'
  );
}

function askedIn({ originalUrl, url = '/' }: PageRequest): Language | undefined {
  return languageNamed(new URLSearchParams(splitAddress(originalUrl ?? url).query).get('lang'));
}

function remember(response: ServerResponse, language: Language): void {
  const cookie = `${cookieName}=${language}; Path=/; Max-Age=${yearS}; SameSite=Lax; HttpOnly`;
  response.appendHeader('Set-Cookie', cookie);
}

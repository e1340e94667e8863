import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Services } from '../../src/services.ts';
import { acceptedLanguage, type Language, languageNamed, type Words, wordsIn } from '../../src/theme/words.ts';

/** The value of a cookie; empty without it. */
export function cookieNamed({ headers: { cookie = '' } }: Pick<IncomingMessage, 'headers'>, name: string): string {
  const found = cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
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
export function acceptsPage({ headers: { accept = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
  const weights = new Map(accept.split(',').map(weighed));
  const html = weights.get('text/html') ?? 0;
  return html > 0 && html >= (weights.get('application/json') ?? 0);
}

function weighed(part: string): [type: string, weight: number] {
  const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const weight = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1);
  return [type, Number.isFinite(weight) ? weight : 0];
}

const cookieName = 'lang';
const yearS = 31_536_000;

type PageRequest = IncomingMessage & { originalUrl?: string };

/** The words of a visitor's language. */
export function wordsFor(request: PageRequest, response?: ServerResponse, isEnglishOnly = false): Words {
  return wordsIn(isEnglishOnly ? 'en' : languageFor(request, response));
}

/**
 * A visitor's language: that of `?lang=`, which is stored in a cookie, the stored one, or the best that the browser
 * accepts.
 */
export function languageFor(request: PageRequest, response?: ServerResponse): Language {
  const asked = askedIn(request);
  if (asked !== undefined && response && !response.headersSent) remember(response, asked);
  return (
    asked ?? languageNamed(cookieNamed(request, cookieName)) ?? acceptedLanguage(request.headers['accept-language'])
  );
}

function askedIn({ originalUrl, url = '/' }: PageRequest): Language | undefined {
  const [, query] = (originalUrl ?? url).split('?', 2);
  return query === undefined ? undefined : languageNamed(new URLSearchParams(query).get('lang'));
}

function remember(response: ServerResponse, language: Language): void {
  const cookie = `${cookieName}=${language}; Path=/; Max-Age=${yearS}; SameSite=Lax; HttpOnly`;
  response.appendHeader('Set-Cookie', cookie);
}

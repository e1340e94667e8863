import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedLanguage, type Language, languageNamed } from '../../src/look/languages.ts';
import { type Words, wordsIn } from '../../src/look/words.ts';
import { cookieNamed } from '../handwritten/cookies.ts';

const cookieName = 'lang';
const yearS = 31_536_000;

type PageRequest = IncomingMessage & { originalUrl?: string };

/** The words of a visitor's language. */
export function wordsFor(request: PageRequest, response?: ServerResponse, isEnglishOnly = false): Words {
  return wordsIn(isEnglishOnly ? 'en' : languageFor(request, response));
}

/**
 * A visitor's language: that of `?lang=`, which is remembered, the remembered one, or the best that the browser
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

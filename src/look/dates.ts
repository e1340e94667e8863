import type { Language } from './languages.ts';

/** Day and time in UTC, which it says: the time zone of the reader is not known. */
export function formatDate(language: Language, at: Date): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at);
}

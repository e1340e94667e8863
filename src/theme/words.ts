import { createInstance } from 'i18next';
import { escapeHtml } from '../lib/text.ts';
import { formatMoney } from './money.ts';
import de from './texts/de.json' with { type: 'json' };
import en from './texts/en.json' with { type: 'json' };

/** Day and time in UTC, with the zone, since the time zone of the reader is unknown. */
function formatDate(language: Language, at: Date): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at);
}

/** The languages of the pages for shoppers and invited users, each with its own name. The first is the default. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/** The language of a tag such as `de-AT`, by its first part; undefined if it is none of the languages. */
export function languageNamed(tag: unknown): Language | undefined {
  const name = typeof tag === 'string' ? tag.trim().slice(0, 2).toLowerCase() : '';
  const isWhole = typeof tag === 'string' && /^[a-z]{2}(-[a-z0-9-]{1,20})?$/i.test(tag.trim());
  return isWhole && Object.hasOwn(languages, name) ? (name as Language) : undefined;
}

export type TextKey = keyof typeof en;
type Values = Readonly<Record<string, string>>;

/** The texts of pages and mail in one language. */
export interface Words {
  language: Language;
  /** A text without markup. It must be escaped like any other. */
  text(key: TextKey, values?: Values): string;
  /** A text as HTML: the catalog's markup, and escaped values. */
  html(key: TextKey, values?: Values): string;
  money(amount: bigint | number, currency: string): string;
  date(at: Date): string;
}

const catalogs = { en, de } satisfies Record<Language, Record<TextKey, string>>;

const translator = createInstance();
void translator.init({
  initAsync: false,
  fallbackLng: 'en',
  keySeparator: false,
  nsSeparator: false,
  interpolation: { escape: escapeHtml },
  resources: Object.fromEntries(Object.entries(catalogs).map(([name, texts]) => [name, { translation: texts }])),
});

export function wordsIn(language: Language): Words {
  const translate = translator.getFixedT(language);
  return {
    language,
    text: (key, values = {}) => translate(key, { ...values, interpolation: { escapeValue: false } }),
    html: (key, values = {}) => translate(key, { ...values }),
    money: (amount, currency) => formatMoney(language, amount, currency),
    date: (at) => formatDate(language, at),
  };
}

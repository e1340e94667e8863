import { createInstance } from 'i18next';
import { escapeHtml } from '../kit/html.ts';
import { formatDate } from './dates.ts';
import type { Language } from './languages.ts';
import { formatMoney } from './money.ts';
import de from './texts/de.json' with { type: 'json' };
import en from './texts/en.json' with { type: 'json' };

export type TextKey = keyof typeof en;
type Values = Readonly<Record<string, string>>;

/** What pages and mail say in one language. */
export interface Words {
  language: Language;
  /** A text without markup. It is to be escaped like any other. */
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

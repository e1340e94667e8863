/**
 * The languages of the pages for shoppers and invited people, each with its name in itself. The first is the default.
 */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/** A language tag by its first part, such as `de-AT`; undefined if it is none of the languages. */
export function languageNamed(tag: unknown): Language | undefined {
  const name = typeof tag === 'string' ? tag.trim().slice(0, 2).toLowerCase() : '';
  const isWhole = typeof tag === 'string' && /^[a-z]{2}(-[a-z0-9-]{1,20})?$/i.test(tag.trim());
  return isWhole && Object.hasOwn(languages, name) ? (name as Language) : undefined;
}

/** The best language of an `Accept-Language` header: by weight, then by place. */
export function acceptedLanguage(header = ''): Language {
  const weighed = header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1);
      return { language: languageNamed(tag), weight: Number.isFinite(weight) ? weight : 0 };
    })
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .sort((one, other) => other.weight - one.weight);
  return weighed[0]?.language ?? 'en';
}

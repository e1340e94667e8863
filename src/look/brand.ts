import { escapeHtml } from '../kit/html.ts';
import { type Palette, paletteOf } from './contrast.ts';
import { type Language, languageNamed } from './languages.ts';
import { type LogoAddress, logoAddress } from './logo.ts';

/** The name of the platform, as people read it. */
export const platformName = 'Partner Payments';

/** What pages and mail show of a partner. */
export interface Brand {
  name: string;
  /** Absent without a color, or with one that is none. */
  palette: Palette | undefined;
  logo: LogoAddress | undefined;
}

/** What a brand is made of, as a Prisma selection. */
export const brandFields = { name: true, branding: true } as const;

/** The brand of a partner, from its free-form branding. What is not valid in it is treated as absent. */
export function brandOf({ name, branding }: { name: string; branding: unknown }): Brand {
  const color = brandText(branding, 'primaryColor');
  return {
    // A line break in the subject of a mail would start another header.
    name: (brandText(branding, 'displayName') ?? name).replace(/\s+/g, ' ').trim(),
    palette: color === undefined ? undefined : paletteOf(color),
    logo: logoAddress(brandEntry(branding, 'logoImage')),
  };
}

/** The language in which a partner writes to its people. Undefined if it does not say. */
export function brandLanguage(branding: unknown): Language | undefined {
  return languageNamed(brandEntry(branding, 'language'));
}

/** Branding is free-form: a value that is not a string of at most 500 characters is treated as absent. */
export function brandText(branding: unknown, name: string): string | undefined {
  const value = brandEntry(branding, name);
  return typeof value === 'string' && value.trim() !== '' && value.length <= 500 ? value : undefined;
}

export function brandEntry(branding: unknown, name: string): unknown {
  return typeof branding === 'object' && branding !== null
    ? Object.entries(branding).find(([key]) => key === name)?.[1]
    : undefined;
}

/** The style that puts a partner's colors in place of the platform's. It contains nothing but hex colors. */
export function brandStyle({ palette }: Brand): string {
  if (!palette) return '';
  const { accent, onAccent, link } = palette;
  return (
    `:root{--accent:${accent};--on-accent:${onAccent};--link:${link.light}}` +
    `@media(prefers-color-scheme:dark){:root{--link:${link.dark}}}`
  );
}

/** What stands at the head of a page or mail: a logo that is much wider than high contains the name already. */
export function headOf({ name, logo }: Brand): { logo: LogoAddress | undefined; initial: string; name: string | null } {
  const isNameInLogo = logo !== undefined && logo.width > 2 * logo.height;
  return { logo, initial: [...name.trim()][0] ?? '', name: isNameInLogo ? null : name };
}

/** The head of a page, as HTML. `root` leads from the page to the root of the server. */
export function brandHead(brand: Brand, root: string): string {
  const { logo, initial, name } = headOf(brand);
  const image = logo
    ? `<img class="logo" src="${root}${logo.path}" width="${logo.width}" height="${logo.height}" ` +
      `alt="${name === null ? escapeHtml(brand.name) : ''}">`
    : `<span class="initial" aria-hidden="true">${escapeHtml(initial)}</span>`;
  return `${image}${name === null ? '' : `<span>${escapeHtml(name)}</span>`}`;
}

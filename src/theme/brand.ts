import { escapeHtml } from '../lib/text.ts';
import { type LogoAddress, logoAddress } from './logo.ts';
import { type Language, languageNamed } from './words.ts';

/** Red, green and blue, 0 to 255. */
type Color = readonly [number, number, number];

const black: Color = [0, 0, 0];
const white: Color = [255, 255, 255];
/** The contrast that WCAG 2 requires of text of any size. */
const textContrast = 4.5;
/** The backgrounds of colored text: the darkest of the light screen, the lightest of the dark one. */
const grounds = { light: colorOf('#f4f5f8'), dark: colorOf('#191d24') };

/** The colors of a page, derived from one color, each with at least the contrast of WCAG 2 for text. */
interface Palette {
  accent: string;
  /** Text on the accent. */
  onAccent: string;
  /** The color of text and of edges in the accent, on a light and on a dark screen. */
  link: { light: string; dark: string };
}

/** From `#rgb` or `#rrggbb`. Undefined for anything else. */
export function paletteOf(hex: string): Palette | undefined {
  if (!/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(hex)) return undefined;
  const accent = colorOf(hex);
  return {
    accent: hexOf(accent),
    // One of the two always has it: the worst gray has 4.58 with both.
    onAccent: contrastOf(accent, white) >= textContrast ? '#ffffff' : '#000000',
    link: { light: readable(accent, grounds.light, black), dark: readable(accent, grounds.dark, white) },
  };
}

/** The color itself if it is readable on the background, otherwise mixed with another until it is. */
function readable(color: Color, ground: Color, towards: Color): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, towards, share);
    if (contrastOf(mixed, ground) >= textContrast) return hexOf(mixed);
  }
  return hexOf(towards);
}

export function contrast(one: string, other: string): number {
  return contrastOf(colorOf(one), colorOf(other));
}

function contrastOf(one: Color, other: Color): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminanceOf([red, green, blue]: Color): number {
  const linear = (value: number): number =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function mix(color: Color, other: Color, share: number): Color {
  const at = (index: 0 | 1 | 2): number => Math.round(color[index] * (1 - share) + other[index] * share);
  return [at(0), at(1), at(2)];
}

function colorOf(hex: string): Color {
  const digits = hex.slice(1);
  const whole = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const part = (start: number): number => Number.parseInt(whole.slice(start, start + 2), 16);
  return [part(0), part(2), part(4)];
}

function hexOf(color: Color): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** The name of the platform, as people read it. */
export const platformName = 'Partner Payments';

/** What pages and mail show of a partner. */
export interface Brand {
  name: string;
  /** Absent if there is no color, or an invalid one. */
  palette: Palette | undefined;
  logo: LogoAddress | undefined;
}

/** The fields of a brand, as a Prisma selection. */
export const brandFields = { name: true, branding: true } as const;

/** The brand of a partner, from its free-form branding. Invalid values are treated as absent. */
export function brandOf({ name, branding }: { name: string; branding: unknown }): Brand {
  const color = brandText(branding, 'primaryColor');
  return {
    // A line break in the subject of a mail would start another header.
    name: (brandText(branding, 'displayName') ?? name).replace(/\s+/g, ' ').trim(),
    palette: color === undefined ? undefined : paletteOf(color),
    logo: logoAddress(brandEntry(branding, 'logoImage')),
  };
}

/** The language of a partner's messages to users. Undefined if it is not set. */
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

/** The style that replaces the platform's colors by a partner's. It contains nothing but hex colors. */
export function brandStyle({ palette }: Brand): string {
  if (!palette) return '';
  const { accent, onAccent, link } = palette;
  return (
    `:root{--accent:${accent};--on-accent:${onAccent};--link:${link.light}}` +
    `@media(prefers-color-scheme:dark){:root{--link:${link.dark}}}`
  );
}

/** The head of a page or mail: a logo that is much wider than high contains the name already. */
export function headOf({ name, logo }: Brand): { logo: LogoAddress | undefined; initial: string; name: string | null } {
  const isNameInLogo = logo !== undefined && logo.width > 2 * logo.height;
  return { logo, initial: [...name.trim()][0] ?? '', name: isNameInLogo ? null : name };
}

/** The head of a page, as HTML. `root` is the path from the page to the root of the server. */
export function brandHead(brand: Brand, root: string): string {
  const { logo, initial, name } = headOf(brand);
  const image = logo
    ? `<img class="logo" src="${root}${logo.path}" width="${logo.width}" height="${logo.height}" ` +
      `alt="${name === null ? escapeHtml(brand.name) : ''}">`
    : `<span class="initial" aria-hidden="true">${escapeHtml(initial)}</span>`;
  return `${image}${name === null ? '' : `<span>${escapeHtml(name)}</span>`}`;
}

import { type Palette, paletteOf } from './contrast.ts';

/** What pages and mail show of a partner. */
export interface Brand {
  name: string;
  /** Absent without a color, or with one that is none. */
  palette: Palette | undefined;
}

/** The brand of a partner, from its free-form branding. What is not valid in it is treated as absent. */
export function brandOf({ name, branding }: { name: string; branding: unknown }): Brand {
  const color = brandText(branding, 'primaryColor');
  return {
    name: brandText(branding, 'displayName') ?? name,
    palette: color === undefined ? undefined : paletteOf(color),
  };
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

/** Red, green and blue, 0 to 255. */
type Color = readonly [number, number, number];

const black: Color = [0, 0, 0];
const white: Color = [255, 255, 255];
/** What WCAG 2 asks of text of any size. */
const textContrast = 4.5;
/** The grounds on which colored text stands: the darkest of the light screen, the lightest of the dark one. */
const grounds = { light: colorOf('#f4f5f8'), dark: colorOf('#191d24') };

/** The colors of a page that follow from one: everything that is read has at least the contrast of WCAG 2. */
export interface Palette {
  accent: string;
  /** Text on the accent. */
  onAccent: string;
  /** Colored text, and the edge of what has the accent, on a light and on a dark screen. */
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

/** The color itself if it can be read on the ground, otherwise mixed with another until it can. */
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

import { type CSSVariablesResolver, createTheme, defaultVariantColorsResolver } from '@mantine/core';

/**
 * The theme of the components, from the design in src/theme/tokens.css. `brand` is a scale of its accent: what a component
 * takes from it by number is rare, the variables below are what shows.
 */
export const theme = createTheme({
  colors: {
    brand: [
      '#eef4ff',
      '#dbe6fe',
      '#b7cdfc',
      '#8ab0ff',
      '#5c8df6',
      '#3b73ea',
      '#2763e0',
      '#1a56db',
      '#1749bd',
      '#143c9b',
    ],
  },
  primaryColor: 'brand',
  primaryShade: 8,
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  headings: { fontFamily: 'var(--font)', fontWeight: '650' },
  radius: { sm: '6px', md: 'var(--corner)', lg: 'var(--corner-large)' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const isBrand = input.color === undefined || input.color === 'brand';
    return isBrand && input.variant === 'filled' ? { ...colors, color: 'var(--on-accent)' } : colors;
  },
  // The head of a dialog is no banner of the page.
  components: {
    ModalHeader: { defaultProps: { role: 'presentation' } },
    ModalCloseButton: { defaultProps: { 'aria-label': 'Close' } },
  },
});

const hues = ['green', 'red', 'yellow', 'gray'];

const shared = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-anchor': 'var(--link)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-color-brand-filled': 'var(--accent)',
  '--mantine-color-brand-light': 'color-mix(in srgb, var(--accent) 12%, transparent)',
  '--mantine-color-brand-light-hover': 'color-mix(in srgb, var(--accent) 18%, transparent)',
  '--mantine-color-brand-light-color': 'var(--link)',
};

/** Text on light and on dark surfaces has a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const colors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...shared,
    ...Object.fromEntries(hues.map((hue) => [`--mantine-color-${hue}-light-color`, lightText[hue] ?? '#1a1b1e'])),
  },
  dark: {
    ...shared,
    '--mantine-color-dark-4': 'var(--line)',
    '--mantine-color-dark-5': 'var(--line)',
    '--mantine-color-dark-6': 'var(--surface)',
    '--mantine-color-dark-7': 'var(--ground)',
    ...Object.fromEntries(hues.map((hue) => [`--mantine-color-${hue}-light-color`, `var(--mantine-color-${hue}-1)`])),
  },
});

const lightText: Record<string, string> = {
  green: '#1b5e2f',
  red: '#a01818',
  yellow: '#6b4300',
};

import { type CSSVariablesResolver, createTheme } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // The head of a dialog is no banner of the page.
  components: {
    ModalHeader: { defaultProps: { role: 'presentation' } },
    ModalCloseButton: { defaultProps: { 'aria-label': 'Close' } },
  },
});

const hues = ['indigo', 'green', 'red', 'yellow', 'gray'];

/** Text on light and on dark surfaces with a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const colors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-anchor': 'var(--mantine-color-indigo-8)',
    ...Object.fromEntries(hues.map((hue) => [`--mantine-color-${hue}-light-color`, lightText[hue] ?? '#1a1b1e'])),
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-anchor': 'var(--mantine-color-indigo-3)',
    ...Object.fromEntries(hues.map((hue) => [`--mantine-color-${hue}-light-color`, `var(--mantine-color-${hue}-1)`])),
  },
});

const lightText: Record<string, string> = {
  indigo: 'var(--mantine-color-indigo-9)',
  green: '#1b5e2f',
  red: '#a01818',
  yellow: '#6b4300',
};

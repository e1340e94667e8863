import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Brand, brandHead, brandStyle } from '../../theme/brand.ts';
import { tokensCss } from '../../theme/tokens.ts';
import type { Words } from '../../theme/words.ts';

const folder = join(import.meta.dirname, 'browser');

export interface BrowserFile {
  /** A path that contains the hash of the content, which therefore never changes under it. */
  path: string;
  content: string;
  integrity: string;
}

/**
 * The script that a merchant's page loads. It has the API of version 1, to which only compatible additions are made.
 */
export const scriptFile = browserFile('v1');

export const scriptAlias = '/fields/v1.js';

function browserFile(name: string): BrowserFile {
  const content = readFileSync(join(folder, `${name}.js`), 'utf8');
  const digest = createHash('sha384').update(content).digest();
  return {
    path: `/fields/${name}.${digest.toString('hex').slice(0, 16)}.js`,
    content,
    integrity: `sha384-${digest.toString('base64')}`,
  };
}

/** The visitor for whom a framed page is rendered. */
export interface FrameVisitor {
  /** The origins that may send messages to the page. */
  origins: readonly string[];
  brand: Brand | null;
  words: Words;
}

/** A page that is shown in a frame: its styles and script are inline, and allowed by their hashes. */
export interface FramePage {
  /** The page, and the content security policy that allows its styles and script. */
  render(visitor: FrameVisitor): { html: string; policy: string };
}

export const fieldsPage = framePage('fields', {
  scripts: ['texts', 'card', 'money', 'appearance', 'fields'],
  // The page around the fields may set another color.
  styleOf: ({ palette }) => (palette ? `:root{--colorAccent:${palette.link.light}}` : ''),
});
export const challengePage = framePage('challenge', { tokens: tokensCss, styleOf: brandStyle });
export const returnPage = framePage('return', { tokens: tokensCss, styleOf: brandStyle });

function framePage(
  name: string,
  {
    scripts = [name],
    tokens = '',
    styleOf,
  }: { scripts?: readonly string[]; tokens?: string; styleOf: (brand: Brand) => string },
): FramePage {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const style = tokens + read(`${name}.css`);
  const script = ["'use strict';", ...scripts.map((each) => read(`${each}.js`))].join('\n');
  // A replacement function, since some characters have a special meaning in a replacement text.
  const whole = read(`${name}.html`)
    .replace('<html lang="en"', '<html lang="%language%"')
    .replace('/* style */', () => style)
    .replace('/* script */', () => script);
  const policy = `script-src '${hashOf(script)}'; style-src '${hashOf(style)}'`;
  return {
    render({ origins, brand, words }) {
      const brandCss = brand ? styleOf(brand) : '';
      const slots: Readonly<Record<string, string>> = {
        origins: origins.join(' '),
        language: words.language,
        style: brandCss && `<style>${brandCss}</style>`,
        brand: brand ? brandHead(brand, '/') : '',
        title: words.html('challenge.thanks'),
        sentence: words.html('challenge.close'),
      };
      return {
        html: whole.replace(/%(\w+)%/g, (slot, key: string) => slots[key] ?? slot),
        policy: brandCss ? `${policy} '${hashOf(brandCss)}'` : policy,
      };
    },
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

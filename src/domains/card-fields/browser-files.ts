import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Brand, brandHead, brandStyle } from '../../theme/brand.ts';
import { tokensCss } from '../../theme/tokens.ts';
import type { Words } from '../../theme/words.ts';

const folder = join(import.meta.dirname, 'browser');

export interface BrowserFile {
  /** A path with the hash of the content in it, under which the content never changes. */
  path: string;
  content: string;
  integrity: string;
}

/** The script that a merchant's page loads. Its API is that of version 1: what is added to it breaks no page. */
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

/** For whom a page in a frame is made. */
export interface FrameVisitor {
  /** The origins that may speak to the page. */
  origins: readonly string[];
  brand: Brand | null;
  words: Words;
}

/** A page that is shown in a frame: its styles and script are part of it, and allowed by their hashes. */
export interface FramePage {
  /** With the part of its content security policy that allows them. */
  render(visitor: FrameVisitor): { html: string; policy: string };
}

export const fieldsPage = framePage('fields', {
  scripts: ['texts', 'card', 'money', 'appearance', 'fields'],
  // The page around the fields may choose another one.
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
  // A replacement function: in a replacement text some characters have a meaning.
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

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** A page that is shown in a frame: its style and script are part of it, and allowed by their hashes. */
export interface FramePage {
  html(origins: readonly string[]): string;
  /** The parts of its content security policy that allow its style and its script. */
  policy: string;
}

export const fieldsPage = framePage('fields', ['texts', 'card', 'appearance', 'fields']);
export const challengePage = framePage('challenge');
export const returnPage = framePage('return');

function framePage(name: string, scripts: readonly string[] = [name]): FramePage {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const style = read(`${name}.css`);
  const script = ["'use strict';", ...scripts.map((each) => read(`${each}.js`))].join('\n');
  // A replacement function: in a replacement text some characters have a meaning.
  const whole = read(`${name}.html`)
    .replace('/* style */', () => style)
    .replace('/* script */', () => script);
  return {
    html: (origins) => whole.replace('%origins%', origins.join(' ')),
    policy: `script-src '${hashOf(script)}'; style-src '${hashOf(style)}'`,
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

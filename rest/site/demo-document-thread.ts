import { type DemoRows, withDemoRows } from './demo-rows.ts';

// Runs in a thread (demo-document.ts), since the document has a megabyte.

export interface DemoQuestion {
  text: string;
  /** Examples, and their replacements from the demo. */
  pairs: readonly (readonly [example: string, own: string])[];
  rows: DemoRows;
}

export function answer({ text, pairs, rows }: DemoQuestion): Uint8Array {
  const changed = pairs.reduce((so, [example, own]) => so.replaceAll(example, own), text);
  return new TextEncoder().encode(withDemoRows(changed, rows));
}

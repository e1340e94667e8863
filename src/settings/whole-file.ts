import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner can read. A crash or another process finds the complete text or what was before. */
export function writeWhole(file: string, text: string): void {
  renameSync(writeDraft(file, text), file);
}

/** As `writeWhole`, unless the file exists: then it throws EEXIST. */
export function writeNew(file: string, text: string): void {
  const draft = writeDraft(file, text);
  try {
    linkSync(draft, file);
  } finally {
    rmSync(draft);
  }
}

function writeDraft(file: string, text: string): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  return draft;
}

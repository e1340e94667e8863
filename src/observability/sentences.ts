import { createLog } from './log.ts';

/**
 * Whether every line of this process is JSON. Without the setting the log is JSON too unless there is a terminal, and
 * what is for a person, such as the welcome message, is plain text.
 */
export function isJsonOnly(): boolean {
  return process.env['LOG_FORMAT'] === 'json';
}

/**
 * Writes a sentence for the operator, whatever the level of the log is: before there is a log, and at the end of the
 * process. An error is written to standard error.
 */
export function writeSentence(level: 'info' | 'error' | 'fatal', sentence: string, fields: object = {}): void {
  const stream = level === 'info' ? process.stdout : process.stderr;
  if (isJsonOnly()) createLog({ destination: stream })[level](fields, sentence);
  else stream.write(`${sentence}\n`);
}

/** With `LOG_FORMAT=json`, the warnings and the last words of Node are JSON too, which it writes as plain text. */
export function writeFaultsAsJson(): void {
  if (!isJsonOnly()) return;
  process.removeAllListeners('warning');
  process.on('warning', (warning) => writeSentence('error', warning.message, { err: warning }));
  process.on('uncaughtException', (error) => {
    writeSentence('fatal', 'The process ends because of an error that nothing handles.', { err: error });
    process.exit(1);
  });
}

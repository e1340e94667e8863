import { once } from 'node:events';
import { createLog } from '../observability/log.ts';
import { describeFailure } from '../runtime/failures.ts';
import { fillDatabase } from './demo.ts';
import type { FillMessage, FillTask } from './fill-in-child.ts';

// The process of fill-in-child.ts. Without its parent, no process would use the database.
process.once('disconnect', () => process.exit(1));

const [{ config, ownerUrl }] = (await once(process, 'message')) as [FillTask]; // as the parent sends it
const log = createLog({ level: config.logLevel, destination: { write: forward } });
try {
  await fillDatabase({ ...config, fingerprintKey: Buffer.from(config.fingerprintKey) }, ownerUrl, log);
  send({ kind: 'filled' }, () => process.exit(0));
} catch (error) {
  send({ kind: 'failed', sentence: describeFailure(error) }, () => process.exit(1));
}

/** The parent writes the lines, in its own format and to its own destination. */
function forward(line: string): void {
  const { level, msg: message, time: _, ...fields } = JSON.parse(line); // a line of createLog
  send({ kind: 'logged', level, fields, message });
}

function send(message: FillMessage, done = (): void => {}): void {
  process.send?.(message, done);
}

import { parseArgs } from 'node:util';
import { openAuditKeys } from '../../src/keys/audit-keys.ts';
import { archiveAt } from './archive.ts';

// Archives, and dies as by `kill -9` at a step.
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    dir: { type: 'string', default: '' },
    now: { type: 'string', default: '' },
    keys: { type: 'string', default: '' },
    at: { type: 'string', default: '' },
  },
});
await archiveAt(
  new Date(values.now),
  {
    ownerUrl: values.url,
    dir: values.dir,
    onStep: (step, name) => {
      if (values.at === `${step} ${name}`) process.kill(process.pid, 'SIGKILL');
    },
  },
  openAuditKeys(values.keys),
);

import { parseArgs } from 'node:util';
import { createVault } from '../adapters/vault/vault.ts';
import { directUrlOf } from '../database/pool.ts';
import { ledgerDifferences } from '../domains/ledger/verify-ledger.ts';
import { openAuditKeys } from '../keys/audit-keys.ts';
import { parseKeyRing } from '../keys/key-ring.ts';
import type { Clock } from '../lib/clock.ts';
import { randomBase62 } from '../lib/ids.ts';
import { createLog } from '../observability/log.ts';
import { openConfig } from '../operating/open-config.ts';
import { prepareDatabase } from '../operating/prepare-database.ts';
import { abandonMove, type MoveRequest, movePartner } from '../people/moves/public.ts';
import type { Config } from '../settings/config.ts';
import { clockOfDatabase, databaseOf, readArguments, runCommand, UsageError } from './command.ts';

const help = `Moves a partner here from another cell. Run it with the settings of the cell that it moves to.

  SOURCE_DATABASE_URL=postgresql://… npm run partner:move -- <slug> [--abandon] [--wait <seconds>]

  <slug>     the partner
  --abandon  puts the partner of a move that was broken off into service again where it was
  --wait     how long calls in flight may take before the command gives up, 1 to 86400; 600 by default

SOURCE_DATABASE_URL is the database of the cell that it leaves, as the role that owns its tables,
and past a pooler.
Broken off at any moment, it goes on where it was when it is run again.
`;

await runCommand(async () => {
  const options = { abandon: { type: 'boolean' }, wait: { type: 'string', default: '600' } } as const;
  const { values, positionals } = readArguments(() => parseArgs({ options, allowPositionals: true }), help);
  const [slug, ...more] = positionals;
  if (slug === undefined || more.length > 0) throw new UsageError('Name one partner by its slug.', help);
  const waitS = Number(values.wait);
  if (!Number.isInteger(waitS) || waitS < 1 || waitS > 86_400)
    throw new UsageError(`--wait is ${JSON.stringify(values.wait)}; it must be a whole number from 1 to 86400.`, help);
  const sourceUrl = process.env['SOURCE_DATABASE_URL'] ?? '';
  if (!URL.canParse(sourceUrl))
    throw new UsageError('SOURCE_DATABASE_URL must be the PostgreSQL URL of the cell that the partner leaves.', help);
  const config = await openConfig(process.env, { isCommand: true });
  await move(config, { slug, sourceUrl, drainMaxMs: waitS * 1_000 }, values.abandon ?? false);
  return 0;
});

async function move(
  config: Config,
  asked: Pick<MoveRequest, 'slug' | 'sourceUrl' | 'drainMaxMs'>,
  isAbandoned: boolean,
): Promise<void> {
  const log = createLog({ level: 'error', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    await prepareDatabase(config, server, log);
    const request: MoveRequest = {
      ...asked,
      targetUrl: server.ownerUrl ?? directUrlOf(config) ?? server.url,
      here: hereOf(config, await clockOfDatabase(server, log)),
      by: {
        actor: { kind: 'operator-cli', id: process.env['USER'] ?? 'operator' },
        requestId: `cli_${randomBase62(16)}`,
        ip: null,
      },
      say: (line) => void process.stderr.write(`${line}\n`),
    };
    if (isAbandoned) return await abandonMove(request);
    const { keyPrefixes, processorIds } = await movePartner(request);
    const lines = [...keyPrefixes, ...processorIds].map((beginning) => `${beginning} ${config.cell || 'first'}\n`);
    process.stdout.write(lines.join(''));
  } finally {
    await server.stop();
  }
}

function hereOf({ cell, vaultKeys, auditKeys, fingerprintKey }: Config, clock: Clock): MoveRequest['here'] {
  const keys = parseKeyRing(vaultKeys);
  return {
    tag: cell,
    vaultKeys: keys,
    auditKeys: openAuditKeys(auditKeys),
    now: () => clock.now(),
    vaultOn: (pool) => createVault({ pool, keys, fingerprintKey, clock }),
    ledgerDifferences,
  };
}

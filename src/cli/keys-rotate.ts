import { parseArgs } from 'node:util';
import { usedVaultKeys } from '../database/keys/used-keys.ts';
import type { KeyIntent } from '../keys/checks.ts';
import { parseKeyRing } from '../keys/key-ring.ts';
import { checkKeys } from '../operating/prepare-keys.ts';
import { jobsOf } from '../registry.ts';
import type { Services } from '../services.ts';
import { readArguments, runCommand } from './command.ts';
import { withServices } from './with-services.ts';

// npm run keys:rotate: encrypts the data keys of all stored data with the first key of VAULT_KEYS, and exits with 0
// when no other key is needed any more. It announces a new first key. With --check it changes nothing. Servers can run
// meanwhile.
await runCommand(async () => {
  const options = { check: { type: 'boolean', default: false } } as const;
  const { values } = readArguments(() => parseArgs({ options }));
  return withServices(async (services) => {
    if (!values.check) await beginRotation(services);
    const rewrapped = values.check ? null : await rewrapAll(services);
    if (rewrapped !== null) console.log(`${rewrapped} stored secrets were encrypted with the first key.`);
    return report(services);
  });
});

/** Throws if a start would reject the keys, so that nothing is encrypted with such a key. */
async function beginRotation({ config, pool, vaultDatabase }: Services): Promise<void> {
  const intent: KeyIntent = { announces: true, uses: true, givesUp: [] };
  const main = await pool.connect();
  try {
    await checkKeys(config, main, {
      intent,
      async checkVault() {
        if (!vaultDatabase.isApart) return true;
        const vault = await vaultDatabase.pool.connect();
        try {
          await checkKeys(config, vault, { intent, main });
          return true;
        } finally {
          vault.release();
        }
      },
    });
  } finally {
    main.release();
  }
}

/** Runs the rewrapping jobs until they find nothing to rewrap. */
async function rewrapAll(services: Services): Promise<number> {
  let sum = 0;
  const { signal } = new AbortController();
  for (const { run } of jobsOf(services).filter(({ name }) => name.startsWith('rewrap-')))
    for (let count = await run(signal); typeof count === 'number' && count > 0; count = await run(signal)) sum += count;
  return sum;
}

async function report({ pool, vaultDatabase, config }: Services): Promise<number> {
  const { keys, newestId } = parseKeyRing(config.vaultKeys);
  const used = await usedVaultKeys(pool, vaultDatabase.pool);
  for (const id of new Set([...keys.keys(), ...used.keys()])) {
    const count = used.get(id) ?? 0;
    if (id === newestId) console.log(`${id}: ${count} stored secrets; the first key of VAULT_KEYS.`);
    else if (!keys.has(id)) console.log(`${id}: ${count} stored secrets; NOT IN VAULT_KEYS, so they cannot be read.`);
    else if (count > 0) console.log(`${id}: ${count} stored secrets; still needed.`);
    else console.log(`${id}: 0 stored secrets; can be removed from VAULT_KEYS.`);
  }
  return [...used.keys()].every((id) => id === newestId) ? 0 : 1;
}

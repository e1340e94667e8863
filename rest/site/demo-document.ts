import { ownThread } from '../../src/runtime/own-thread.ts';
import type { Services } from '../../src/services.ts';
import type { Demo } from '../../src/settings/demo-credentials.ts';
import { type Asset, createAsset } from '../pages/frame/assets.ts';
import type { answer, DemoQuestion } from './demo-document-thread.ts';
import { readDemoRows } from './demo-rows.ts';

/** The identifiers in the examples of a document that have a counterpart in the demo tenant. */
export type ExampleIds = Record<'accountId' | 'storeId' | 'paymentInstrumentId', string | undefined>;

/** How long the newest rows of the demo are cached. */
const lookAgainMs = 10_000;

/**
 * The OpenAPI document with the ids of the demo in its examples. It is built once for all requests, and rebuilt when
 * the demo or its newest rows have changed, at most once in ten seconds.
 */
export function demoDocument(
  services: Pick<Services, 'pool' | 'clock'>,
  text: () => Promise<string>,
  exampleIds: ExampleIds,
): (demo: Demo) => Promise<Asset> {
  const make = ownThread<typeof answer>(new URL('demo-document-thread.ts', import.meta.url));
  let made: { of: string; asset: Asset } | undefined;
  let looked: { at: number; of: string; asset: Promise<Asset> } | undefined;

  async function look(account: Demo['accounts']['test']): Promise<Asset> {
    const question = { pairs: pairsOf(exampleIds, account), rows: await readDemoRows(services, account.id) };
    const of = JSON.stringify(question);
    if (made?.of !== of)
      made = { of, asset: createAsset('openapi.json', await make({ text: await text(), ...question })) };
    return made.asset;
  }

  return ({ accounts: { test } }) => {
    const [at, of] = [services.clock.now().getTime(), JSON.stringify(test)];
    if (looked && looked.of === of && Math.abs(at - looked.at) < lookAgainMs) return looked.asset;
    const asset = look(test);
    const own = { at, of, asset };
    looked = own;
    asset.catch(() => {
      if (looked === own) looked = undefined;
    });
    return asset;
  };
}

function pairsOf(
  { accountId, storeId, paymentInstrumentId }: ExampleIds,
  { id, storeId: demoStoreId, paymentInstrumentId: demoInstrumentId }: Demo['accounts']['test'],
): DemoQuestion['pairs'] {
  const pairs = [
    [accountId, id],
    [storeId, demoStoreId],
    [paymentInstrumentId, demoInstrumentId],
  ] as const;
  return pairs.flatMap(([example, own]) => (example && own ? [[example, own] as const] : []));
}

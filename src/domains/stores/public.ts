/** What other domains may use of this one. No file of this domain imports it. */
export { addStore } from './change-store.ts';
export {
  atStore,
  brandOfStore,
  ownerAt,
  storeNameOf,
  storeOf,
  storeOutOfScope,
  storeRequired,
  storesOfAccount,
} from './store-rows.ts';
export { Store } from './types.ts';

/** What other domains may use of this one. No file of this domain imports it. */
export { brandOfStore } from './brand-of-store.ts';
export { atStore, storeOf, storeOutOfScope, storeRequired } from './store-of-call.ts';
export { addStore, storeNameOf, storesOfAccount } from './store-rows.ts';
export { Store } from './types.ts';

/** What other domains take of this one: whoever changes a person at the provider carries the answer into the mirror. */
export { upsertUser } from './mirror.ts';

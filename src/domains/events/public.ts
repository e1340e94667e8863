/** What other domains may use of this one. No file of this domain imports it. */
export type { ShownEvent } from './read-event.ts';
export { Event } from './schema.ts';

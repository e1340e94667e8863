/** What other domains may use of this one. No file of this domain imports it. */
export { Event, type ShownEvent } from './schema.ts';

/** What other domains may use of this one. No file of this domain imports it. */
export { listUnappliedEvents } from './list-unapplied-events.ts';
export { receiveProcessorEvent } from './receive-event.ts';

/** What the facade may use of this domain. */
export { openExport } from './open-export.ts';

/** What the HTTP routes may use of this domain. No file of this domain imports it. */
export { challengePage, type FramePage, fieldsPage, returnPage, scriptAlias, scriptFile } from './browser-files.ts';
export { framingOrigins, readFields } from './read-fields.ts';
export { submitCard } from './submit-card.ts';

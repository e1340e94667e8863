/** What other domains may use of this one. No file of this domain imports it. */
export { readLogoFile } from './partner-logo.ts';

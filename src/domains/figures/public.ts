/** What other domains may use of this one. No file of this domain imports it. */
export { type Figure, type FigureKey, figuresMax, readFigures } from './read-figures.ts';

/** What other domains may use of this one. No file of this domain imports it. */

export { addProcessor, changeProcessor, updateProcessor } from './change-processor.ts';
export { type ConnectionRow, connectionTo, openConnection } from './connection.ts';
export {
  type ChosenProcessor,
  findUsableProcessor,
  lockProcessor,
  noSuchProcessor,
  type ProcessorRow,
  usableSql,
} from './rows.ts';
export { listProcessorsWithin, Processor, ProcessorPage, ProcessorType } from './types.ts';

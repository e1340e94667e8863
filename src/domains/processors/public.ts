/** What other domains may use of this one. No file of this domain imports it. */

export { addProcessor } from './add-processor.ts';
export { changeProcessor } from './change-processor.ts';
export { type ConnectionRow, connectionTo, openConnection } from './connection.ts';
export { listProcessorsWithin } from './list-processors.ts';
export { lockProcessor, noSuchProcessor, type ProcessorRow } from './processor-rows.ts';
export { Processor, ProcessorPage, ProcessorType } from './types.ts';
export { updateProcessor } from './update-processor.ts';
export { type ChosenProcessor, findUsableProcessor, usableSql } from './usable.ts';

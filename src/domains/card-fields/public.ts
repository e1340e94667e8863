/** What the HTTP routes may use of this domain. No file of this domain imports it. */
export {
  challengePage,
  type FramePage,
  type FrameVisitor,
  fieldsPage,
  returnPage,
  scriptAlias,
  scriptFile,
} from './browser-files.ts';
export { readFields, readFraming, submitCard } from './fields.ts';

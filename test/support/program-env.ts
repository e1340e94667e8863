/**
 * What the environment of every process that a test starts contains. Compiled code is kept between them: half of what a
 * start costs is to compile the same files.
 */
export const programEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};

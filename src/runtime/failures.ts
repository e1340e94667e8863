import { DomainError } from '../lib/errors.ts';
import { scrub } from '../observability/scrub.ts';
import { IdpError } from '../ports/identity-provider.ts';
import { ConfigError } from '../settings/config.ts';

/** What an operator reads when a file or folder cannot be written, by the code of the operating system. */
const fileProblems: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'no space is left on the device',
  EDQUOT: "this user's disk quota is used up",
  ENOENT: 'there is no such folder, and it cannot be made',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file of this name is in the way',
  EMFILE: 'too many files are open',
};

/**
 * Why a start or a command failed, for its operator, without secrets. Errors that an operator can correct are one
 * message. Any other error is a fault, whose stack is shown with LOG_LEVEL=debug.
 */
export function describeFailure(error: unknown, environment: NodeJS.ProcessEnv = process.env): string {
  return scrub(sentenceOf(error, environment));
}

function sentenceOf(error: unknown, { LOG_LEVEL: level, PLATFORM_DIR: dir }: NodeJS.ProcessEnv): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || error instanceof DomainError || error instanceof IdpError) return error.message;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  const problem = code === undefined ? undefined : fileProblems[code];
  if (problem !== undefined && path !== undefined && syscall !== undefined)
    return (
      `${path} cannot be written: ${problem}. The platform keeps its data in PLATFORM_DIR, ` +
      `${dir ? `which is ${dir}` : 'by default .platform'}; set it to a folder that this user may write.`
    );
  if (code === '42P01' || code === '42703' || code === '3F000')
    return `The database lacks what this version needs (${error.message}); run \`platform migrate\`.`;
  if (code === '42501')
    return (
      `The role of DATABASE_URL lacks a right (${error.message}); run \`platform migrate\` with ` +
      `MIGRATION_DATABASE_URL, ` +
      'the URL of the owner.'
    );
  if (level === 'debug' || level === 'trace') return error.stack ?? error.message;
  return `${error.message.replace(/\.?$/, '.')} LOG_LEVEL=debug shows where this happened.`;
}

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { ConfigError } from '../../settings/config.ts';
import { backupFormat, type Manifest } from './backup.ts';

/** Reads a backup from its beginning: lines, and between them the data of a COPY. */
export interface BackupReader {
  line(): Promise<string>;
  /** The data that follows, up to the line `\.`, which is consumed. */
  data(): AsyncGenerator<Buffer>;
  close(): void;
}

export async function openBackup(file: string): Promise<{ manifest: Manifest; reader: BackupReader }> {
  const reader = readerOf(file);
  try {
    const first = await reader.line();
    const manifest = manifestOf(first);
    if (manifest === undefined) throw notBackup(file);
    return { manifest, reader };
  } catch (error) {
    reader.close();
    const { code } = error as { code?: string };
    if (code === 'ENOENT') throw new ConfigError(`There is no file ${file}.`, { cause: error });
    throw code?.startsWith('Z_') ? notBackup(file, error) : error;
  }
}

function manifestOf(line: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(line.slice('-- '.length)) as Manifest; // its format is compared below
    return manifest.format === backupFormat ? manifest : undefined;
  } catch {
    return undefined;
  }
}

function notBackup(file: string, cause?: unknown): ConfigError {
  return new ConfigError(`${file} is no backup of the platform, or it is damaged: \`npm run backup\` writes one.`, {
    cause,
  });
}

const terminator = Buffer.from('\\.\n');

function readerOf(file: string): BackupReader {
  const source = createReadStream(file);
  const stream = source.pipe(createGunzip());
  source.on('error', (error) => stream.destroy(error));
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held = Buffer.alloc(0);
  const more = async (): Promise<void> => {
    const { value, done } = await chunks.next();
    if (done) throw new ConfigError(`${file} ends too early: it is not whole.`);
    held = Buffer.concat([held, value]);
  };
  return {
    async line() {
      let end = held.indexOf('\n');
      for (; end === -1; end = held.indexOf('\n')) await more();
      const line = held.subarray(0, end).toString();
      held = held.subarray(end + 1);
      return line;
    },
    async *data() {
      // Each iteration starts at the start of a line.
      for (;;) {
        while (held.length < terminator.length) await more();
        if (held.subarray(0, terminator.length).equals(terminator)) break;
        const end = held.indexOf('\n\\.\n');
        const whole = end === -1 ? held.lastIndexOf('\n', held.length - terminator.length) + 1 : end + 1;
        if (whole === 0) {
          await more();
          continue;
        }
        yield held.subarray(0, whole);
        held = held.subarray(whole);
      }
      held = held.subarray(terminator.length);
    },
    close: () => void stream.destroy(),
  };
}

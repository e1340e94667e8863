import { once } from 'node:events';
import type pg from 'pg';

/** Methods of pg's connection that its types do not declare: the messages of the COPY protocol. */
type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
};

/**
 * Runs COPY … TO STDOUT and passes on every chunk; while one is being written, the server waits. Returns the number of
 * rows.
 */
export function copyOut(client: pg.Client, text: string, write: (chunk: Buffer) => Promise<void>): Promise<number> {
  return run(client, text, ({ fail }) => {
    let written = Promise.resolve();
    let waiting = 0;
    return {
      handleCopyData({ chunk }: { chunk: Buffer }, { stream }: CopyConnection) {
        // The parser reuses its buffer.
        const copy = Buffer.from(chunk);
        waiting += 1;
        if (waiting === chunksMax) stream.pause();
        written = written.then(async () => {
          await write(copy);
          waiting -= 1;
          if (waiting === 0) stream.resume();
        });
        written.catch(fail);
      },
      finished: () => written,
    };
  });
}

/** Runs COPY … FROM STDIN with these chunks, and returns the number of rows. */
export function copyIn(client: pg.Client, text: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  return run(client, text, () => ({
    handleCopyInResponse(connection: CopyConnection) {
      void send(connection, chunks);
    },
    finished: async () => {},
  }));
}

const chunksMax = 256;

async function send(connection: CopyConnection, chunks: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      connection.sendCopyFromChunk(chunk);
      if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
    }
    connection.endCopyFrom();
  } catch (error) {
    // The server answers with an error that contains this reason.
    connection.sendCopyFail(error instanceof Error ? error.message : String(error));
  }
}

/** Sends a statement whose messages `handlersOf` takes, and returns the number of rows in its command tag. */
function run(
  client: pg.Client,
  text: string,
  handlersOf: (promise: { fail(error: unknown): void }) => { finished(): Promise<void> } & Record<string, unknown>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0;
    const { finished, ...handlers } = handlersOf({ fail: reject });
    client.query({
      submit: (connection: pg.Connection) => (connection as CopyConnection).query(text),
      handleRowDescription() {},
      handleDataRow() {},
      handleCommandComplete: ({ text: tag }: { text: string }) => (rows = Number(/\d+$/.exec(tag)?.[0] ?? 0)),
      handleReadyForQuery: () => void finished().then(() => resolve(rows), reject),
      handleError: reject,
      ...handlers,
    });
  });
}

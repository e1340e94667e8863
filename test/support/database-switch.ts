import { connect, createServer, type Server, type Socket } from 'node:net';

type FaultKind = 'passes' | 'refused';

/** A proxy of TCP between a server and its database, as it stands before a pair of databases, that a test switches. */
export interface DatabaseSwitch {
  /** The URL of the database through the switch. */
  url: string;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Passes on to the server of this URL, or of the one before. Connections to another server break. */
  restore(url?: string): void;
  /** Resolves when the next connection is refused. */
  refused(): Promise<void>;
  /**
   * Breaks the connection on which a statement with this text is sent, in place of its answer, and refuses new ones.
   * Resolves when that has happened. Connections of now are broken, so that the next ones name the text. `lose` breaks
   * the connection in another way than by its end.
   */
  loseAnswerTo(text: RegExp, lose?: () => void): Promise<void>;
  close(): Promise<void>;
}

/** `sent` is called with what clients send. */
export async function openDatabaseSwitch(
  databaseUrl: string,
  sent: (bytes: Buffer) => void = () => {},
): Promise<DatabaseSwitch> {
  let target = new URL(databaseUrl);
  let fate: FaultKind = 'passes';
  let lost: { text: RegExp; lose(): void; happened(): void } | null = null;
  let refusedNext = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const end = () => {
      for (const socket of [client, upstream]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    if (fate === 'refused') {
      refusedNext.resolve();
      return end();
    }
    let isLost = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay().once('close', end).on('error', end);
    }
    client.on('data', (bytes) => {
      sent(bytes);
      isLost ||= lost?.text.test(bytes.toString('latin1')) ?? false;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!isLost || !lost) return void client.write(bytes);
      fate = 'refused';
      lost.happened();
      lost.lose();
      lost = null;
    });
  });
  const port = await listening(server);
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    cut() {
      fate = 'refused';
      breakAll();
    },
    restore(newUrl) {
      if (newUrl !== undefined) {
        target = new URL(newUrl);
        breakAll();
      }
      fate = 'passes';
    },
    refused() {
      refusedNext = Promise.withResolvers();
      return refusedNext.promise;
    },
    loseAnswerTo(text, lose = breakAll) {
      breakAll();
      return new Promise((happened) => (lost = { text, lose, happened }));
    },
    async close() {
      breakAll();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

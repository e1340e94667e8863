import { connect, type Socket } from 'node:net';

/** What to send, again and again. `{n}` in the text becomes a number that no other request of the run has. */
export interface Load {
  port: number;
  requests: string[];
  connections: number;
  seconds: number;
  /** Makes the numbers of this run unlike those of any other. */
  run: number;
}

export interface Measured {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

// A process of its own, so that what it costs is no part of the server's figures, with the least HTTP that is correct: the two
// cores are shared by generator, server and database, and what the generator takes the others lack.
process.on('message', (load: Load) => {
  measure(load).then(
    (measured) => process.send?.(measured),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

async function measure({ port, requests, connections, seconds, run }: Load): Promise<Measured> {
  const begun = performance.now();
  const until = begun + seconds * 1000;
  const times: number[] = [];
  let sent = 0;
  const next = (): string => {
    const number = sent++;
    const text = requests[number % requests.length] ?? '';
    return text.includes('{n}') ? text.replaceAll('{n}', `${run}x${number}`) : text;
  };
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)));
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() < until) {
        const asked = performance.now();
        await exchange(socket, next());
        times.push(performance.now() - asked);
      }
      socket.destroy();
    }),
  );
  const took = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { requests: times.length, seconds: took, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** One request and the whole of its answer, which must be a 200 and say its length. */
function exchange(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    let missing = -1;
    const onData = (chunk: Buffer): void => {
      if (missing < 0) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!head.startsWith('HTTP/1.1 200')) return fail(new Error(`The server answered ${head.slice(0, 1000)}`));
        const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
        if (length === undefined) return fail(new Error('The answer has no Content-Length.'));
        missing = Number(length) - (head.length - end - 4);
      } else missing -= chunk.length;
      if (missing === 0) settle(resolve);
    };
    const settle = (done: () => void): void => {
      socket.off('data', onData).off('error', fail).off('close', closed);
      done();
    };
    const fail = (error: Error): void => settle(() => reject(error));
    const closed = (): void => fail(new Error('The server closed the connection.'));
    socket.on('data', onData).once('error', fail).once('close', closed);
    socket.write(text);
  });
}

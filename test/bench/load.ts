import { connect, type Socket } from 'node:net';

/** The request to repeat. `{n}` in the text is replaced by a number that no other request of the run uses. */
export interface Load {
  port: number;
  requests: string[];
  connections: number;
  seconds: number;
  /** Makes the numbers of this run different from those of other runs. */
  run: number;
}

export interface Measured {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

// A separate process, so that its cost is not part of the server's figures, with the smallest correct HTTP client:
// generator, server and database share two cores, so the generator's time reduces what the others have.
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

/** Sends one request and reads its whole answer, which must be a 200 with a Content-Length. */
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
      if (missing === 0) finishOnce(resolve);
    };
    const finishOnce = (done: () => void): void => {
      socket.off('data', onData).off('error', fail).off('close', closed);
      done();
    };
    const fail = (error: Error): void => finishOnce(() => reject(error));
    const closed = (): void => fail(new Error('The server closed the connection.'));
    socket.on('data', onData).once('error', fail).once('close', closed);
    socket.write(text);
  });
}

import { connect, type Socket } from 'node:net';
import { measureLoad, serveLoads } from './measure-load.ts';

// A separate process, so that its cost is not part of the server's figures, with the smallest correct HTTP client:
// generator, server and database share two cores, so the generator's time reduces what the others have.
serveLoads((load) =>
  measureLoad(load, async () => {
    const socket = await connected(load.port);
    return { exchange: (text) => exchange(socket, text), end: () => void socket.destroy() };
  }),
);

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

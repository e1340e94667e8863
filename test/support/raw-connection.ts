import { connect, type Socket } from 'node:net';

/** A connection on which a test sends exactly its bytes. */
export interface RawConnection {
  socket: Socket;
  /** What has been received so far. */
  received(): string;
  closed: Promise<void>;
}

/** Connects to a platform. `from` is another address of the loopback network, for a second client. */
export async function rawConnection({ url }: { url: string }, from = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: from });
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed]);
  return { socket, received: () => received, closed };
}

export function httpHead(method: string, path: string, headers: Record<string, string | number> = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

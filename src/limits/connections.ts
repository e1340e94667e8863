import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../lib/network.ts';

/** What a client may use of one process. */
export interface ConnectionLimits {
  /** Connections in all. */
  total: number;
  /** Connections of one address; of an IPv6 address its /64. */
  perAddress: number;
  /** Whether an address is that of a proxy, which many clients share. */
  isProxy(address: string): boolean;
  /** How long an answer may wait for a client that does not read it. */
  answerMs: number;
  /** The bytes of all answers that wait for their clients. */
  unsentBytes?: number;
  checkEveryMs: number;
}

/** A fraction of the memory of a small server. */
const unsentBytesMax = 64 * 1024 * 1024;

interface Connection {
  socket: Socket;
  network: string;
  /** Requests that are not answered yet. */
  open: number;
  request: IncomingMessage | null;
  /** When bytes began to wait for the client, and how many it had read by then; null when none wait. */
  blocked: { since: number; taken: number } | null;
}

/** What a client must read of a long answer within `answerMs`, in bytes: about 4 KiB a second. */
const takenBytesMin = 256 * 1024;

/**
 * Keeps the connections of a server within their limits. At a limit the oldest connection is closed, by the end of its
 * last answer or, without one, by its start, unless a complete request is being answered on it. So idle connections and
 * incomplete requests block no one; the new connection is closed only if there is none to close.
 */
export function limitConnections(server: Server, limits: ConnectionLimits, onClosed: () => void): void {
  const all = new Map<Socket, Connection>();
  const byNetwork = new Map<string, Set<Connection>>();

  function add(socket: Socket): void {
    const address = socket.remoteAddress;
    if (address === undefined) return; // it is closed already
    const network = networkOf(address);
    const beside = byNetwork.get(network) ?? new Set();
    const added: Connection = { socket, network, open: 0, request: null, blocked: null };
    const isFull = !limits.isProxy(address) && beside.size >= limits.perAddress;
    if ((isFull && !closeOldest(beside)) || (all.size >= limits.total && !closeOldest(all.values()))) {
      socket.destroy();
      return onClosed();
    }
    byNetwork.set(network, beside.add(added));
    all.set(socket, added);
    socket.once('close', () => remove(added));
  }

  function remove(connection: Connection): void {
    all.delete(connection.socket);
    const beside = byNetwork.get(connection.network);
    beside?.delete(connection);
    if (beside?.size === 0) byNetwork.delete(connection.network);
  }

  /** Makes it the newest, since its client uses it. */
  function renew(connection: Connection): void {
    all.delete(connection.socket);
    all.set(connection.socket, connection);
    const beside = byNetwork.get(connection.network);
    beside?.delete(connection);
    beside?.add(connection);
  }

  function closeOldest(connections: Iterable<Connection>): boolean {
    for (const connection of connections) {
      if (isAnswering(connection)) continue;
      remove(connection); // the event of the socket comes later
      connection.socket.destroy();
      onClosed();
      return true;
    }
    return false;
  }

  server.on('connection', add);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = all.get(request.socket);
    if (!connection) return;
    connection.open += 1;
    connection.request = request;
    response.on('close', () => {
      connection.open -= 1;
      if (all.has(connection.socket)) renew(connection);
    });
  });
  const check = setInterval(() => {
    const now = performance.now();
    const before = new Set([...all.values()].filter(({ blocked }) => blocked !== null));
    for (const connection of all.values()) if (isStuck(connection, now, limits.answerMs)) connection.socket.destroy();
    for (const { socket } of connectionsToClose(before, limits.unsentBytes ?? unsentBytesMax)) socket.destroy();
  }, limits.checkEveryMs).unref();
  server.once('close', () => clearInterval(check));
}

/** Requests can be pipelined: the latest may be incomplete while an earlier one is being answered. */
function isAnswering({ open, request }: Connection): boolean {
  return open > 1 || (open === 1 && request?.complete === true);
}

/**
 * Stuck: the client has read less than `takenBytesMin` within `answerMs`. Less progress does not count, since a client
 * that reads a byte now and then could hold the answer indefinitely.
 */
function isStuck(connection: Connection, now: number, answerMs: number): boolean {
  const { socket } = connection;
  const taken = socket.bytesWritten - socket.writableLength;
  if (socket.writableLength === 0) connection.blocked = null;
  else if (connection.blocked === null || taken - connection.blocked.taken >= takenBytesMin)
    connection.blocked = { since: now, taken };
  return connection.blocked !== null && now - connection.blocked.since > answerMs;
}

/**
 * The connections to close so that the unread answers of the others are within the bound. Networks with the most unread
 * bytes come first, so that a client that reads nothing does not close the connections of others.
 */
function connectionsToClose(connections: ReadonlySet<Connection>, bytesMax: number): Connection[] {
  const bytes = new Map<string, number>();
  let unsent = 0;
  for (const { network, socket } of connections) {
    unsent += socket.writableLength;
    bytes.set(network, (bytes.get(network) ?? 0) + socket.writableLength);
  }
  if (unsent <= bytesMax) return [];
  const unread = [...connections].filter(({ socket }) => socket.writableLength > 0);
  unread.sort((left, right) => (bytes.get(right.network) ?? 0) - (bytes.get(left.network) ?? 0));
  return unread.filter(({ socket }) => {
    const isTooMuch = unsent > bytesMax;
    if (isTooMuch) unsent -= socket.writableLength;
    return isTooMuch;
  });
}

/**
 * Handles the requests of a connection in sequence: each begins when the previous answer has been sent. Node parses all
 * requests that arrive together and would start them together, so that a client that pipelines and does not read would
 * make the server hold an answer for each.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const latest = new WeakMap<Socket, ServerResponse>();
  return (request, response) => {
    const { socket } = request;
    const before = latest.get(socket);
    latest.set(socket, response);
    response.on('close', () => {
      if (latest.get(socket) === response) latest.delete(socket);
    });
    if (!before) return handle(request, response);
    before.once('close', () => {
      if (!socket.destroyed) handle(request, response);
    });
  };
}

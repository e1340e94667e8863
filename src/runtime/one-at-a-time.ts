import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Handles the requests of a connection one after the other: each begins when the answer before it has left. Node parses
 * all that arrive together and would begin them together, so that a client which pipelines and does not read makes the
 * server hold an answer for each.
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

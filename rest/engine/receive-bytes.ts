import type { IncomingMessage } from 'node:http';
import { type DomainError, InvalidInput } from '../../src/kit/errors.ts';
import type { HeldBody } from '../../src/runtime/body-memory.ts';
import type { Services } from '../../src/services.ts';
import { withoutPlace } from './place.ts';

/** How much of a body that is refused is still read and discarded, so that the client can read the response. */
const drainBytesMax = 32 * 1024 * 1024;
const drainMs = 5_000;
const capacityMin = 1024;

/** The client closed the connection before the body was complete, so no response can be sent. */
export class ConnectionLost extends Error {}

/** What reading a body uses. */
export type BodyServices = Pick<Services, 'bodyMemory'>;

/**
 * Receives the body of a request and returns what `parse` makes of it. Until then its bytes are counted: a body waits
 * for its sender, and when it is complete for a place.
 */
export async function parseBytes<Parsed>(
  { bodyMemory }: BodyServices,
  request: IncomingMessage,
  bytesMax: number,
  parse: (bytes: Buffer) => Parsed,
): Promise<Parsed> {
  const held = bodyMemory.hold(addressOf(request));
  try {
    return parse(await withoutPlace(request, () => receiveBytes(request, bytesMax, held)));
  } finally {
    held.release();
  }
}

/** Express derives `ip` from its `trust proxy` setting. */
function addressOf(request: IncomingMessage & { ip?: unknown }): string {
  const { ip } = request; // read once, since it is computed
  return typeof ip === 'string' ? ip : (request.socket.remoteAddress ?? '');
}

function receiveBytes(request: IncomingMessage, bytesMax: number, held: HeldBody): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.closed) return reject(new ConnectionLost());
    let bytes: Buffer = Buffer.alloc(0);
    let size = 0;
    let refusal: DomainError | null = null;
    let timer: NodeJS.Timeout | undefined;
    const refuse = (error: DomainError): void => {
      if (refusal) return;
      refusal = error;
      bytes = Buffer.alloc(0);
      held.release();
      // Clients that read only after they have written the whole body fail on an earlier response.
      timer = setTimeout(() => reject(error), drainMs);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) refuse(payloadTooLarge(bytesMax));
      if (!refusal) {
        bytes = appended(bytes, size, chunk, bytesMax);
        held.grow(bytes.length, refuse);
      } else if (size > drainBytesMax) reject(refusal);
    });
    request.on('end', () => {
      clearTimeout(timer);
      held.complete();
      if (refusal) reject(refusal);
      else resolve(bytes.subarray(0, size));
    });
    request.on('close', () => {
      clearTimeout(timer);
      if (!request.complete) reject(new ConnectionLost());
    });
    request.on('error', () => reject(new ConnectionLost()));
  });
}

/**
 * The buffer with the chunk at its end, in a larger one if it is full. A list of chunks could take much more than the
 * body: each may be a single byte.
 */
function appended(bytes: Buffer, size: number, chunk: Buffer, bytesMax: number): Buffer {
  if (size === chunk.length) return chunk; // most bodies arrive at once
  let target = bytes;
  if (size > bytes.length) {
    target = Buffer.allocUnsafeSlow(Math.min(bytesMax, Math.max(capacityMin, size, 2 * bytes.length)));
    bytes.copy(target);
  }
  chunk.copy(target, size - chunk.length);
  return target;
}

function payloadTooLarge(bytesMax: number): InvalidInput {
  const message = `The body is larger than ${bytesMax} bytes.`;
  return new InvalidInput([{ path: '', message }], message, 'PAYLOAD_TOO_LARGE', 413);
}

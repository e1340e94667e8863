import type { Readable, Writable } from 'node:stream';

const lineEnd = 0x0a;

/** Writes whole lines only, so that the lines of several processes are never mixed. */
export function forwardLines(from: Readable | null, to: Pick<Writable, 'write'>): void {
  let rest = Buffer.alloc(0);
  from?.on('data', (data: Buffer) => {
    const end = data.lastIndexOf(lineEnd) + 1;
    if (end > 0) to.write(Buffer.concat([rest, data.subarray(0, end)]));
    rest = end > 0 ? Buffer.from(data.subarray(end)) : Buffer.concat([rest, data]);
  });
  from?.on('end', () => rest.length > 0 && to.write(rest));
}

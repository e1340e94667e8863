// cspell:ignore IHDR IDAT IEND WEBPVP
import { crc32, deflateSync } from 'node:zlib';

/** A PNG of one color, with a note in it if it is to have a certain size in bytes. */
export function pngOf(width: number, height: number, { bytes = 0, color = [26, 86, 219] } = {}): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.concat(Array(width).fill(Buffer.from(color)))]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const parts = [
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array(height).fill(row)))),
  ];
  const end = chunk('IEND', Buffer.alloc(0));
  const missing = bytes - Buffer.concat([...parts, end]).length;
  return Buffer.concat([...parts, ...(missing > 0 ? [chunk('tEXt', Buffer.alloc(missing - 12, 'a'))] : []), end]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The header of a JPEG with its size, and no picture. */
export function jpegHeader(width: number, height: number): Buffer {
  const start = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
  const frame = Buffer.from('ffc00011080000000003012200021101031101', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([start, frame, Buffer.from('ffd9', 'hex')]);
}

/** The header of a WebP with its size, and no picture. */
export function webpHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(30);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(22, 4);
  header.write('WEBPVP8X', 8, 'latin1');
  header.writeUInt32LE(10, 16);
  header.writeUIntLE(width - 1, 24, 3);
  header.writeUIntLE(height - 1, 27, 3);
  return header;
}

export function dataUrlOf(content: Buffer, type = 'image/png'): string {
  return `data:${type};base64,${content.toString('base64')}`;
}

import { createSocket } from 'node:dgram';

export interface NameServer {
  /** As `address:port`. */
  address: string;
  /** How many questions have arrived. */
  readonly questions: number;
  close(): Promise<void>;
}

/** A name server on the loopback interface. It answers the names it knows with an IPv4 address, and others never. */
export async function startNameServer(known: Record<string, string> = {}): Promise<NameServer> {
  const socket = createSocket('udp4');
  let questions = 0;
  socket.on('message', (question, { port, address }) => {
    questions += 1;
    const ip = known[nameIn(question)];
    if (ip !== undefined) socket.send(answerTo(question, ip), port, address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    get questions() {
      return questions;
    },
    close: () => new Promise((closed) => socket.close(closed)),
  };
}

const headerBytes = 12;

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = headerBytes; question[at]; at += 1 + (question[at] ?? 0))
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  return labels.join('.').toLowerCase();
}

function answerTo(question: Buffer, ip: string): Buffer {
  const end = question.indexOf(0, headerBytes) + 5; // the root label, type and class
  const isIPv4 = question.readUInt16BE(end - 4) === 1;
  const header = Buffer.from(question.subarray(0, headerBytes));
  header.writeUInt16BE(0x8180, 2); // a recursive answer without error
  for (const [at, count] of [1, isIPv4 ? 1 : 0, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * at);
  // A pointer to the name, type A, class IN, 60 seconds, 4 bytes.
  const record = Buffer.from([0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...ip.split('.').map(Number)]);
  return Buffer.concat([header, question.subarray(headerBytes, end), ...(isIPv4 ? [record] : [])]);
}

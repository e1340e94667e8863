import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFileMailer, createSmtpMailer, readSavedMails } from '../../../src/adapters/mail/mailer.ts';
import { manualClock } from '../../../src/lib/clock.ts';

const mail = { to: 'a@example.com', subject: 'Grüße', text: 'A link', html: '<p>A link</p>' };

test('a stored mail is a file readable by its owner only, and the newest is read first', async () => {
  const dir = join(mkdtempSync(join(tmpdir(), 'platform-mail-')), 'mail');
  expect(await readSavedMails(dir)).toEqual([]);
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  const mailer = createFileMailer(dir, clock);
  await mailer.send(mail);
  clock.advance(1_000);
  await mailer.send({ ...mail, to: 'b@example.com' });
  expect(await readSavedMails(dir)).toEqual([
    { ...mail, to: 'b@example.com', at: '2026-01-01T00:00:01.000Z' },
    { ...mail, at: '2026-01-01T00:00:00.000Z' },
  ]);
  for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  rmSync(dir, { recursive: true });
});

test('mail by SMTP arrives with both its parts', async () => {
  const received: string[] = [];
  // The part of SMTP that one mail needs.
  const server = createServer((socket) => {
    let inData = false;
    socket.write('220 test\r\n');
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      received.push(text);
      if (inData) {
        if (!text.endsWith('\r\n.\r\n')) return;
        inData = false;
        socket.write('250 taken\r\n');
      } else if (text.startsWith('DATA')) {
        inData = true;
        socket.write('354 go on\r\n');
      } else if (text.startsWith('QUIT')) socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await createSmtpMailer(`smtp://127.0.0.1:${port}`, 'Payments <no-reply@example.com>').send(mail);
  const all = received.join('');
  expect(all).toContain('RCPT TO:<a@example.com>');
  expect(all).toContain('From: Payments <no-reply@example.com>');
  expect(all).toContain('A link');
  expect(all).toContain('<p>A link</p>');
  server.close();
});

import { createTransport } from 'nodemailer';
import type { Mailer } from '../ports/mailer.ts';

const timeoutMs = 10_000;

/** Sends by SMTP. The transport must be encrypted outside this machine: the links in our mails are as good as passwords. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const { protocol, hostname } = new URL(url);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const transport = createTransport({ url, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs, requireTLS: protocol === 'smtp:' && !isLocal, disableFileAccess: true, disableUrlAccess: true });
  return {
    kind: 'smtp',
    async send({ to, subject, text, html }) {
      await transport.sendMail({ from, to, subject, text, html });
    },
  };
}

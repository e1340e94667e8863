import type { Mailer } from '../ports/mailer.ts';

const timeoutMs = 10_000;

/** Sends by SMTP. The transport must be encrypted outside this machine: the links in our mails are as good as passwords. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const { protocol, hostname } = new URL(url);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const open = async () => {
    const { createTransport } = await import('nodemailer'); // with the first mail: few servers send any soon after their start
    return createTransport({
      url,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      requireTLS: protocol === 'smtp:' && !isLocal,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let transport: ReturnType<typeof open> | undefined;
  return {
    kind: 'smtp',
    async send({ to, subject, text, html }) {
      await (await (transport ??= open())).sendMail({ from, to, subject, text, html });
    },
  };
}

import type { Mailer } from '../../ports/mailer.ts';

const timeoutMs = 10_000;

/** Sends mail by SMTP. A remote connection must be encrypted: a link in a mail is equivalent to a password. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const { protocol, hostname } = new URL(url);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const open = async () => {
    // Loaded with the first mail: few processes send one soon after their start.
    const { createTransport } = await import('nodemailer');
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

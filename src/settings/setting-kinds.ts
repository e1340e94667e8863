import { createPublicKey } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { readWrapped } from './wrapped-keys.ts';

/**
 * The kinds of settings. Of their `meta`, the table of settings shows `form`, a message to the operator has `right`
 * after "it must be", and the value of a `secret` is never shown.
 */
export const text = z.string().meta({ form: 'text', right: 'a text' });

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ form: `whole number, ${min} to ${max}`, right: `a whole number from ${min} to ${max}` });
}

/** A number of processes; `auto` is one for each core. */
export function processCount(max: number) {
  return z
    .union([wholeNumber(1, max), z.literal('auto').transform(() => Math.min(max, availableParallelism()))])
    .meta({ form: `1 to ${max}, or \`auto\``, right: `a whole number from 1 to ${max}, or auto` });
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  const form = choices.map((choice) => `\`${choice}\``).join(', ');
  return z.enum(choices).meta({ form, right: `one of ${choices.join(', ')}` });
}

export const yesNo = z
  .stringbool({ truthy: ['true', '1', 'on', 'yes'], falsy: ['false', '0', 'off', 'no'], case: 'sensitive' })
  .meta({ form: '`true` or `false`', right: 'true or false' });

export const httpUrl = url((given) => isHttp(given) && `${given.username}${given.search}${given.hash}` === '')
  .transform((given) => new URL(given).href.replace(/\/+$/, ''))
  .meta({
    form: 'URL',
    right: 'an http or https URL without user, query or fragment, such as https://payments.example.com',
  });

const origin = z
  .string()
  .refine((given) => URL.canParse(given) && isHttp(new URL(given)) && new URL(given).origin === given);

export const httpOrigin = origin.meta({
  form: 'origin',
  right: 'an http or https address without a path, such as https://api.stripe.com',
});

export const httpOrigins = listOf(origin).meta({
  form: 'origins, separated by commas',
  right: 'origins separated by commas, each such as https://shop.example.com, without a path',
});

const hostName = z
  .string()
  .toLowerCase()
  .refine((name) => URL.canParse(`http://${name}`) && new URL(`http://${name}`).hostname === name);

export const hostNames = listOf(hostName).meta({
  form: 'host names, separated by commas',
  right: 'host names or addresses separated by commas, each without a port, such as payments.internal or 10.0.0.7',
});

/** As in OpenTelemetry: the values are percent-encoded. */
export const headerList = listOf(
  z
    .string()
    .regex(/^[\w-]+=[\x21-\x7e]*$/)
    .pipe(readBy(headerOf)),
)
  .transform((entries): Readonly<Record<string, string>> => Object.fromEntries(entries))
  .meta({
    form: '`name=value` entries, separated by commas',
    right: 'name=value entries separated by commas, such as api-key=…, with percent-encoded values',
    secret: true,
  });

export const databaseUrl = url(
  ({ protocol, pathname }) => /^postgres(ql)?:$/.test(protocol) && pathname.length > 1,
).meta({
  form: 'PostgreSQL URL',
  right: 'a PostgreSQL URL such as postgresql://user:password@host:5432/platform',
  secret: true,
});

export const smtpUrl = url(({ protocol, hostname }) => /^smtps?:$/.test(protocol) && hostname !== '').meta({
  form: 'SMTP URL',
  right: 'an SMTP URL such as smtps://user:password@mail.example.com:465',
  secret: true,
});

/** "true" would trust any address that a client writes into a header, so it is not accepted. */
export const proxies = z
  .union([
    z.enum(['none', 'false', '0']).transform(() => false as const),
    z
      .string()
      .regex(/^([1-9]|10)$/)
      .transform(Number),
    listOf(z.string().refine(isProxy)),
  ])
  .meta({
    form: 'number or addresses',
    right:
      'the number of proxies in front (1 to 10), or their addresses or networks separated by commas, such as 10.0.0.0/8, ' +
      'or none',
  });

const path = z.string().transform((given) => resolve(join(import.meta.dirname, '..', '..'), given));
export const directory = path.meta({ form: 'directory', right: 'a directory' });
export const file = path.meta({ form: 'file', right: 'the path of a file' });

/** 43 characters and the padding are base64 of exactly 32 bytes. */
export const key = wrappedOr((given) => /^[A-Za-z0-9+/]{43}=$/.test(given)).meta({
  form: '32 bytes in base64',
  right: '32 bytes in base64, as `openssl rand -base64 32` prints them',
  secret: true,
});

export const keyRing = wrappedOr((given) => {
  const entries = entriesOf(given);
  const ids = new Set(entries.map((entry) => entry.split(':')[0]));
  return (
    ids.size > 0 &&
    ids.size === entries.length &&
    entries.every((entry) => /^[\w-]{1,32}:[A-Za-z0-9+/]{43}=$/.test(entry))
  );
}).meta({
  form: '`id:key` entries, separated by commas',
  right:
    'id:key entries separated by commas, each key 32 bytes in base64 and each id used once, such as ' +
    '2026a:<what `openssl rand -base64 32` prints>',
  secret: true,
});

/** PEM as dashboards show it, or on one line, as it often is in an environment. */
export const publicKey = readBy((given) => {
  const der = Buffer.from(given.replace(/-----[A-Z ]+-----|\\n|\s/g, ''), 'base64');
  const made = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (made.asymmetricKeyType !== 'rsa') throw new Error('not RSA');
  return made.export({ type: 'spki', format: 'pem' }).toString();
}).meta({
  form: 'RSA public key as PEM',
  right: 'an RSA public key as PEM, beginning with -----BEGIN PUBLIC KEY-----',
  secret: true,
});

export function matching(pattern: RegExp, form: string, right: string, secret = false) {
  return z.string().regex(pattern).meta({ form, right, secret });
}

/** A setting without a value for its absence. `otherwise` says in the table what applies then. */
export function optional<Kind extends z.ZodType>(kind: Kind, description: string, otherwise = 'none') {
  return kind.optional().meta({ description, otherwise });
}

/** A text that `read` turns into a value. It throws if the text is wrong. */
function readBy<Value>(read: (given: string) => Value) {
  return z.string().transform((given, context): Value => {
    try {
      return read(given);
    } catch {
      context.addIssue('wrong');
      return z.NEVER;
    }
  });
}

function url(isRight: (given: URL) => boolean) {
  return z.string().refine((given) => URL.canParse(given) && isRight(new URL(given)));
}

function listOf<Value>(entry: z.ZodType<Value, string>) {
  return z.string().transform(entriesOf).pipe(z.array(entry).min(1));
}

function wrappedOr(isRight: (given: string) => boolean) {
  return z.string().refine((given) => readWrapped(given) !== undefined || isRight(given));
}

function entriesOf(given: string): string[] {
  return given
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function headerOf(entry: string): [name: string, value: string] {
  const end = entry.indexOf('=');
  return [entry.slice(0, end), decodeURIComponent(entry.slice(end + 1))];
}

/** Only full addresses are accepted: the library also accepts a bare number. */
function isProxy(entry: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const isAddress =
    ipaddr.IPv4.isValidFourPartDecimal(entry) || ipaddr.IPv6.isValid(entry) || ipaddr.isValidCIDR(entry);
  return isAddress && /[.:]/.test(entry);
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

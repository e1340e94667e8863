import { createPublicKey } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { readWrapped } from './wrapped-keys.ts';

/** A kind of setting: how its text is parsed, and what the operator reads if it is invalid. */
interface Kind<Value> {
  schema: z.ZodType<Value, string>;
  /** For the table of settings. */
  type: string;
  /** For the error message, after "it must be". */
  right: string;
  isSecret?: boolean;
}

const root = join(import.meta.dirname, '..', '..');

export const text = (right = 'a text'): Kind<string> => ({ schema: z.string(), type: 'text', right });

export const secretText = (): Kind<string> => ({ ...text(), isSecret: true });

export function wholeNumber(min: number, max: number): Kind<number> {
  const schema = z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
  return { schema, type: `whole number, ${min} to ${max}`, right: `a whole number from ${min} to ${max}` };
}

/** A number of processes; `auto` is one for each core. */
export function processCount(max: number): Kind<number> {
  const schema = z
    .string()
    .transform((given) => (given === 'auto' ? String(Math.min(max, availableParallelism())) : given))
    .pipe(wholeNumber(1, max).schema);
  return { schema, type: `1 to ${max}, or \`auto\``, right: `a whole number from 1 to ${max}, or auto` };
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]): Kind<Choice> {
  const type = choices.map((choice) => `\`${choice}\``).join(', ');
  return { schema: z.enum(choices), type, right: `one of ${choices.join(', ')}` };
}

/** Lower case, so that a tag is also a label of a host name and no two tags differ only in case. */
export const cellTag: Kind<string> = {
  schema: z.string().regex(/^[0-9a-z]{1,2}$/),
  type: '1 or 2 of `0`–`9` and `a`–`z`',
  right: 'one or two digits or lower-case letters, such as b or e1',
};

export const yesNo: Kind<boolean> = {
  schema: parsed((given) => {
    if (['true', '1', 'on', 'yes'].includes(given)) return true;
    return ['false', '0', 'off', 'no'].includes(given) ? false : undefined;
  }),
  type: '`true` or `false`',
  right: 'true or false',
};

export const httpUrl: Kind<string> = {
  schema: parsed((given) => {
    const url = urlOf(given);
    const hasOnlyPath = url?.username === '' && url.search === '' && url.hash === '';
    return hasOnlyPath && isHttp(url) ? url.href.replace(/\/+$/, '') : undefined;
  }),
  type: 'URL',
  right: 'an http or https URL without user, query or fragment, such as https://payments.example.com',
};

export const httpOrigin: Kind<string> = {
  schema: parsed((given) => (isOrigin(given) ? given : undefined)),
  type: 'origin',
  right: 'an http or https address without a path, such as https://api.stripe.com',
};

export const httpOrigins: Kind<readonly string[]> = {
  schema: parsed((given) => {
    const entries = listOf(given);
    return entries.length > 0 && entries.every(isOrigin) ? entries : undefined;
  }),
  type: 'origins, separated by commas',
  right: 'origins separated by commas, each such as https://shop.example.com, without a path',
};

export const hostNames: Kind<readonly string[]> = {
  schema: parsed((given) => {
    const entries = listOf(given.toLowerCase());
    return entries.length > 0 && entries.every((entry) => urlOf(`http://${entry}`)?.hostname === entry)
      ? entries
      : undefined;
  }),
  type: 'host names, separated by commas',
  right: 'host names or addresses separated by commas, each without a port, such as payments.internal or 10.0.0.7',
};

/** As in OpenTelemetry: `name=value` entries, the values percent-encoded. */
export const headerList: Kind<Readonly<Record<string, string>>> = {
  schema: parsed((given) => {
    const entries = listOf(given).map((entry) => /^([\w-]+)=([\x21-\x7e]*)$/.exec(entry));
    if (entries.length === 0 || entries.includes(null)) return undefined;
    try {
      return Object.fromEntries(entries.map((entry) => [entry?.[1] ?? '', decodeURIComponent(entry?.[2] ?? '')]));
    } catch {
      return undefined;
    }
  }),
  type: '`name=value` entries, separated by commas',
  right: 'name=value entries separated by commas, such as api-key=…, with percent-encoded values',
  isSecret: true,
};

export const databaseUrl: Kind<string> = {
  schema: parsed((given) => {
    const url = urlOf(given);
    const isUsable = ['postgres:', 'postgresql:'].includes(url?.protocol ?? '') && (url?.pathname.length ?? 0) > 1;
    return isUsable ? given : undefined;
  }),
  type: 'PostgreSQL URL',
  right: 'a PostgreSQL URL such as postgresql://user:password@host:5432/platform',
  isSecret: true,
};

export const smtpUrl: Kind<string> = {
  schema: parsed((given) => {
    const url = urlOf(given);
    return url && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '' ? given : undefined;
  }),
  type: 'SMTP URL',
  right: 'an SMTP URL such as smtps://user:password@mail.example.com:465',
  isSecret: true,
};

export const proxies: Kind<false | number | string[]> = {
  schema: parsed((given) => {
    if (given === 'false' || given === '0') return false;
    if (/^([1-9]|10)$/.test(given)) return Number(given);
    const entries = listOf(given);
    // "true" would trust any address that a client writes into a header, so it is not accepted.
    return entries.length > 0 && entries.every(isProxy) ? entries : undefined;
  }),
  type: 'number or addresses',
  right:
    'the number of proxies in front (1 to 10), or their addresses or networks separated by commas, such as 10.0.0.0/8',
};

export const directory: Kind<string> = {
  schema: z.string().transform((given) => (isAbsolute(given) ? given : resolve(root, given))),
  type: 'directory',
  right: 'a directory',
};

export const file: Kind<string> = { ...directory, type: 'file', right: 'the path of a file' };

/** 43 characters and the padding are base64 of exactly 32 bytes. */
const keyPattern = /^[A-Za-z0-9+/]{43}=$/;

export const key: Kind<string> = {
  schema: parsed((given) => (keyPattern.test(given) || readWrapped(given) ? given : undefined)),
  type: '32 bytes in base64',
  right: '32 bytes in base64, as `openssl rand -base64 32` prints them',
  isSecret: true,
};

export const keyRing: Kind<string> = {
  schema: parsed((given) => {
    if (readWrapped(given)) return given;
    const entries = listOf(given).map((entry) => entry.split(':'));
    const ids = new Set(entries.map(([id]) => id));
    const isUsable = entries.every(
      ([id = '', bytes = '', ...more]) =>
        /^[A-Za-z0-9_-]{1,32}$/.test(id) && keyPattern.test(bytes) && more.length === 0,
    );
    return isUsable && entries.length > 0 && ids.size === entries.length ? given : undefined;
  }),
  type: '`id:key` entries, separated by commas',
  right:
    'id:key entries separated by commas, each key 32 bytes in base64 and each id used once, such as ' +
    '2026a:<what `openssl rand -base64 32` prints>',
  isSecret: true,
};

/** An ARN contains the region. An alias needs its prefix, as everywhere at AWS. */
export const kmsKey: Kind<string> = {
  schema: z.string().regex(/^(arn:aws[\w-]*:kms:[a-z0-9-]+:\d{12}:(key|alias)\/[\w/-]+|alias\/[\w/-]+|[\w-]{8,256})$/),
  type: 'ARN, id or alias of a key',
  right:
    'the ARN, the id or the alias of a key at AWS KMS, such as ' +
    'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
};

export const awsRegion: Kind<string> = {
  schema: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/),
  type: 'region of AWS',
  right: 'a region of AWS, such as eu-west-1',
};

export function secretMatching(pattern: RegExp, type: string, right: string): Kind<string> {
  return { schema: z.string().regex(pattern), type, right, isSecret: true };
}

/** PEM as dashboards show it, or on one line, as it often is in an environment. */
export const publicKey: Kind<string> = {
  schema: parsed((given) => publicKeyOf(given.replace(/-----[A-Z ]+-----|\\n|\s/g, ''))),
  type: 'RSA public key as PEM',
  right: 'an RSA public key as PEM, beginning with -----BEGIN PUBLIC KEY-----',
  isSecret: true,
};

/** A schema of a text that `parse` reads; undefined means that it cannot be read. */
function parsed<Value>(parse: (given: string) => Value | undefined): z.ZodType<Value, string> {
  return z.string().transform((given, context): Value => {
    const value = parse(given);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  });
}

function publicKeyOf(base64: string): string | undefined {
  try {
    const made = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return made.asymmetricKeyType === 'rsa' ? made.export({ type: 'spki', format: 'pem' }).toString() : undefined;
  } catch {
    return undefined;
  }
}

function listOf(given: string): string[] {
  return given
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function isProxy(entry: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(entry) || isAddress(entry);
}

/** Only full addresses are accepted: the library also accepts a bare number. */
function isAddress(entry: string): boolean {
  return (
    /[.:]/.test(entry) &&
    (ipaddr.IPv4.isValidFourPartDecimal(entry) || ipaddr.IPv6.isValid(entry) || ipaddr.isValidCIDR(entry))
  );
}

function isOrigin(entry: string): boolean {
  const url = urlOf(entry);
  return url !== undefined && isHttp(url) && url.origin === entry;
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function urlOf(given: string): URL | undefined {
  return URL.canParse(given) ? new URL(given) : undefined;
}

/** The description of a setting in addition to its schema: for the table of settings and for error messages. */
export interface SettingInfo {
  type: string;
  right: string;
  isSecret: boolean;
  /** The default as Markdown. */
  default: string;
  description: string;
}

export const settingInfo = z.registry<SettingInfo>();

export function required<Value>(kind: Kind<Value>, description: string): z.ZodType<Value, string> {
  return registered(kind.schema.clone(), kind, 'required', description);
}

export function optional<Value>(
  kind: Kind<Value>,
  otherwise: string,
  description: string,
): z.ZodOptional<z.ZodType<Value, string>> {
  return registered(kind.schema.optional(), kind, otherwise, description);
}

export function withDefault<Value extends string | number | boolean | string[]>(
  kind: Kind<Value>,
  value: z.core.util.NoUndefined<Value>,
  description: string,
): z.ZodDefault<z.ZodType<Value, string>> {
  return registered(kind.schema.default(value), kind, `\`${String(value)}\``, description);
}

function registered<Schema extends z.ZodType>(
  schema: Schema,
  { type, right, isSecret = false }: Kind<unknown>,
  otherwise: string,
  description: string,
): Schema {
  settingInfo.add(schema, { type, right, isSecret, default: otherwise, description });
  return schema;
}

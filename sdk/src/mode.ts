import { ConfigurationError, WrongModeError } from './errors.ts';

export type Mode = 'live' | 'test';

const form = /^tp_sk_(partner_)?(test|live)_(?:[0-9a-z]{1,2}_)?[0-9A-Za-z]{46}$/;
const prefix = /^tp_sk_(?:partner_)?(test|live)_/;

/** What a key says of itself. */
export interface KnownKey {
  secret: string;
  mode: Mode;
  kind: 'partner' | 'sub';
  /** What may be shown of it: its prefix, the tag of its cell if it has one, and 8 characters. */
  shown: string;
}

/** Reads the mode and the kind of a key from its prefix. No request is made. */
export function readKey(secret: unknown): KnownKey {
  if (typeof secret !== 'string' || secret === '')
    throw new ConfigurationError(
      'The API key is missing. Pass a key that begins with tp_sk_, for example from an environment variable ' +
        'that is set.',
    );
  const [, partner, mode] = form.exec(secret) ?? [];
  if (mode !== 'test' && mode !== 'live') throw new ConfigurationError(complaintOf(secret));
  const shown = secret.slice(0, -38);
  return { secret, mode, kind: partner === undefined ? 'sub' : 'partner', shown };
}

function complaintOf(secret: string): string {
  if (secret.trim() !== secret) return 'The API key begins or ends with white space. Remove it.';
  if (secret.startsWith('whsec_'))
    return 'The API key is the secret of a webhook endpoint. Pass a key that begins with tp_sk_.';
  if (prefix.test(secret))
    return (
      'The API key is incomplete or has characters that no key has. Copy it again, whole: it ends with 46 ' +
      'letters and digits.'
    );
  return (
    'This is no API key of the platform: one begins with tp_sk_test_, tp_sk_live_, tp_sk_partner_test_ or ' +
    'tp_sk_partner_live_.'
  );
}

/**
 * The mode of something that the platform answered: of its `livemode`, or of the key it is. Undefined when it names
 * none.
 */
function modeOf(thing: object): Mode | undefined {
  if ('livemode' in thing && typeof thing.livemode === 'boolean') return thing.livemode ? 'live' : 'test';
  const key = ('secret' in thing && thing.secret) || ('prefix' in thing && thing.prefix);
  const named = typeof key === 'string' ? prefix.exec(key)?.[1] : undefined;
  return named === 'test' || named === 'live' ? named : undefined;
}

/** Throws when `thing` is of the other mode than the client. */
export function checkMode(thing: object, own: Mode, what: string): void {
  const mode = modeOf(thing);
  if (mode !== undefined && mode !== own)
    throw new WrongModeError(
      `${what} is of ${mode} mode, and this client is of ${own} mode. Nothing was sent. Use a client with ` +
        `a ${mode} key.`,
    );
}

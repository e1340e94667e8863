import { randomBytes, timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../../keys/derived-key.ts';
import { type Cookie, cookieAt } from '../../lib/cookies.ts';
import type { Services } from '../../services.ts';

/** How long a browser counts as one in which a user has signed in. */
export const deviceKeptMs = 90 * 86_400_000;

/** The cookie of a browser in which a user has signed in. It gives no access, but a count of wrong attempts of its own. */
export function deviceCookie({ config }: Pick<Services, 'config'>): Cookie {
  return cookieAt(config.publicUrl, 'platform.device');
}

type Keyed = Pick<Services, 'config'>;

/** The value of the cookie for a user: an identifier of the browser, and its signature for this email address. */
export function newDevice(services: Keyed, email: string): string {
  const id = randomBytes(16).toString('base64url');
  return `${id}.${signatureOf(services, id, email)}`;
}

/** The identifier of the browser, if this user has signed in there. */
export function knownDevice(services: Keyed, value: string, email: string): string | null {
  const [id = '', signature = ''] = value.split('.');
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(services, id, email))];
  return given.length === right.length && timingSafeEqual(given, right) ? id : null;
}

function signatureOf({ config }: Keyed, id: string, email: string): string {
  return keyedHash(config.fingerprintKey, 'known-device', `${id}/${email.toLowerCase()}`);
}

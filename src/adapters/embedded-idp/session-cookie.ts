import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { textIn } from './engine-call.ts';

/** Reads the token in the session cookie of a header. */
type ReadSignedToken = (header: string) => string | null;

/**
 * The token of a session cookie as the engine signs it. Null for any other header, such as one with two of these
 * cookies: what it is worth is for the engine to say.
 */
export function signedTokenReader(publicUrl: string, secret: string): ReadSignedToken {
  const begin = `${publicUrl.startsWith('https:') ? '__Secure-' : ''}platform.session_token=`;
  const key = createSecretKey(secret, 'utf8');
  return (header) => {
    const [pair, ...others] = header
      .split(';')
      .map((each) => each.trim())
      .filter((each) => each.startsWith(begin));
    if (pair === undefined || others.length > 0) return null;
    const [token = '', signature = '', ...rest] = textIn(pair.slice(begin.length)).split('.');
    const wanted = Buffer.from(createHmac('sha256', key).update(token).digest('base64'));
    const given = Buffer.from(signature);
    return rest.length === 0 && given.length === wanted.length && timingSafeEqual(given, wanted) ? token : null;
  };
}

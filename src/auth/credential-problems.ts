import { isWellFormedSecret, secretStart } from './secret.ts';

/** What is wrong with a request that has no bearer token, for those who send a key in the way of another API. */
export function withoutBearer({
  authorization,
  keyElsewhere,
}: {
  authorization: string | undefined;
  keyElsewhere?: string | undefined;
}): string | undefined {
  const remedy = 'send the header "Authorization: Bearer <API_KEY>".';
  if (authorization === undefined) return keyElsewhere && `API keys are not taken from ${keyElsewhere}: ${remedy}`;
  if (/^basic /i.test(authorization)) return `API keys are not taken as HTTP Basic credentials: ${remedy}`;
  if (/^bearer\b/i.test(authorization))
    return `"Bearer", one space and the API key must be all of the header Authorization: ${remedy}`;
  const words = authorization.trim().split(/\s+/);
  if (!isWellFormedSecret(words.at(-1) ?? '')) return undefined;
  return words.length === 1
    ? `The API key has no "Bearer" before it: ${remedy}`
    : `The API key has another word than "Bearer" before it: ${remedy}`;
}

/** What is wrong with a credential that no key of the platform looks like. Nothing of it is repeated. */
export function malformed(secret: string): string {
  return secret.startsWith(secretStart)
    ? 'The API key is not valid: check that it was copied whole.'
    : `The API key is not valid: keys of this platform begin with ${secretStart}, without quotes or brackets.`;
}

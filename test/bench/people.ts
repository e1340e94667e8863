import { openEmbeddedIdp } from '../../src/adapters/embedded-idp/embedded-idp.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import type { DataServer } from './data-server.ts';

const person = { email: 'reader@example.com', password: 'correct horse battery' };

/** The cookie of a person who reads the users of every partner, signed in at the platform on this port. */
export async function signInReader({ url, secrets }: DataServer, port: number): Promise<string> {
  const publicUrl = `http://127.0.0.1:${port}`;
  const idp = await openEmbeddedIdp({
    databaseUrl: url,
    publicUrl,
    allowedOrigins: [publicUrl],
    secret: secrets.idpSecret,
    log: createLog({ level: 'error' }),
    clock: systemClock,
    deliver: null,
  });
  // An account manager of no partner, who needs no second factor.
  await idp.createUser({ ...person, platformRoles: ['accountmanager'], whitelabelOwnership: null });
  await idp.close();
  const answer = await fetch(`${publicUrl}/idp/sign-in/email`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(person),
  });
  if (!answer.ok) throw new Error(`The sign-in answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

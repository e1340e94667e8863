import { openEmbeddedIdp } from '../../src/adapters/embedded-idp/embedded-idp.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/observability/log.ts';
import type { DataServer } from './data-server.ts';

const password = 'correct horse battery';

/** A person of the bench, by roles and by the slug of their partner. */
export interface BenchPerson {
  email: string;
  platformRoles: string[];
  whitelabelOwnership: string | null;
}

/** The cookie of a person who reads the users of every partner, signed in at the platform on this port. */
export async function signInReader(data: DataServer, port: number): Promise<string> {
  // An account manager of no partner, who needs no second factor.
  const person = { email: 'reader@example.com', platformRoles: ['accountmanager'], whitelabelOwnership: null };
  const [cookie = ''] = await signInPeople(data, port, [person]);
  return cookie;
}

/** The cookies of people, signed in at the platform on this port. Who was made before is only signed in. */
export async function signInPeople(
  { url, secrets, pool }: DataServer,
  port: number,
  people: readonly BenchPerson[],
): Promise<string[]> {
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
  for (const person of people) {
    const { rowCount } = await pool.query('SELECT 1 FROM iam_users WHERE email = $1', [person.email]);
    if (rowCount === 0) await idp.createUser({ ...person, password });
  }
  await idp.close();
  return Promise.all(people.map(({ email }) => signIn(publicUrl, email)));
}

async function signIn(publicUrl: string, email: string): Promise<string> {
  const answer = await fetch(`${publicUrl}/idp/sign-in/email`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`The sign-in answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

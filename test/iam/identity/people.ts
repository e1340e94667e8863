import { newId } from '../../../src/lib/ids.ts';
import type { TestPlatform } from '../../support/platform.ts';
import { totpOf } from '../../support/totp.ts';
import { insertPerson, password, storeSession } from '../people.ts';

interface SeededPerson {
  id: string;
  email: string;
  password: string;
}

interface Access {
  email?: string;
  platformRoles?: string[];
  whitelabelOwnership?: string | null;
}

export interface People {
  /** Creates a user; the mirror knows the user when this resolves. */
  create(access?: Access): Promise<SeededPerson>;
  /** The cookie of a new session, as a browser sends it. */
  signIn(person: Pick<SeededPerson, 'email' | 'password'>): Promise<{ cookie: string; setCookie: string }>;
  /** A token for the session of a cookie. */
  token(cookie: string): Promise<string>;
  /** Creates a user who has just set up a second factor, with the present code, and the cookie of their session. */
  enroll(access?: Access): Promise<EnrolledPerson>;
}

interface EnrolledPerson extends SeededPerson {
  cookie: string;
  setupKey: string;
  backupCodes: string[];
}

/** What the form of the sign-in sends. */
export function credentialsOf({ email, password }: Pick<SeededPerson, 'email' | 'password'>) {
  return { email, password };
}

let count = 0;

/** Users of the embedded identity provider, with all their credentials. */
export function peopleOf({ url, idp, services }: Pick<TestPlatform, 'url' | 'idp' | 'services'>): People {
  return {
    async create({ email = `user${++count}@example.com`, platformRoles = [], whitelabelOwnership = null } = {}) {
      const { id } = await insertPerson({ services }, { email, platformRoles, whitelabelOwnership });
      await idp.flush();
      return { id, email, password };
    },
    async signIn(person) {
      const response = await fetch(`${url}/idp/sign-in/email`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(credentialsOf(person)),
      });
      if (response.status !== 200) throw new Error(`Signing in answered ${response.status}: ${await response.text()}`);
      const setCookie = response.headers.getSetCookie()[0] ?? '';
      return { setCookie, cookie: setCookie.split(';')[0] ?? '' };
    },
    async token(cookie) {
      const response = await fetch(`${url}/idp/token`, { headers: { Cookie: cookie } });
      const { token } = (await response.json()) as { token: string }; // the endpoint's answer
      return token;
    },
    async enroll(access) {
      const person = await this.create(access);
      const first = await storeSession({ services }, person);
      const send = async (path: string, body: object) => {
        const response = await fetch(`${url}/idp/account/second-factor${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Cookie: first },
          body: JSON.stringify(body),
        });
        if (response.status !== 200) throw new Error(`The set-up answered ${response.status}.`);
        const [cookie = ''] = response.headers.getSetCookie().map((line) => line.split(';')[0]);
        // the endpoint's answer
        return { cookie, made: (await response.json()) as { setupKey: string; backupCodes: string[] } };
      };
      const { made } = await send('', { password: person.password });
      const { cookie } = await send('/confirm', { code: totpOf(made.setupKey) });
      return { ...person, ...made, cookie };
    },
  };
}

/** Creates a partner in the database: creating one over the API is covered by other tests. */
export async function partnerIn(
  { services }: Pick<TestPlatform, 'services'>,
  slug: string,
): Promise<{ id: string; slug: string }> {
  const now = services.clock.now();
  return services.prisma.partner.create({
    data: { id: newId('par_', now), slug, name: slug, createdAt: now, updatedAt: now },
  });
}

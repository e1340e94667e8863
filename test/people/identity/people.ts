import { newId } from '../../../src/lib/ids.ts';
import type { TestPlatform } from '../../support/platform.ts';

interface SeededPerson {
  id: string;
  email: string;
  password: string;
}

export interface People {
  /** Creates a user; the mirror knows the user when this resolves. */
  create(access?: {
    email?: string;
    platformRoles?: string[];
    whitelabelOwnership?: string | null;
  }): Promise<SeededPerson>;
  /** The cookie of a new session, as a browser sends it. */
  signIn(person: Pick<SeededPerson, 'email' | 'password'>): Promise<{ cookie: string; setCookie: string }>;
  /** A token for the session of a cookie. */
  token(cookie: string): Promise<string>;
}

let count = 0;

/** Users of the embedded identity provider, with all their credentials. */
export function peopleOf({ url, idp }: Pick<TestPlatform, 'url' | 'idp'>): People {
  return {
    async create(access = {}) {
      const password = 'correct horse battery';
      const { id, email } = await idp.createUser({ email: `somebody${++count}@example.com`, ...access, password });
      await idp.flush();
      return { id, email, password };
    },
    async signIn({ email, password }) {
      const response = await fetch(`${url}/idp/sign-in/email`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email, password }),
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

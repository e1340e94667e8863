import { newId } from '../../src/kit/ids.ts';
import type { TestPlatform } from '../support/platform.ts';

export interface SeededPerson {
  id: string;
  email: string;
  password: string;
}

export interface People {
  /** Somebody with an account, known to the mirror when this resolves. */
  create(access?: {
    email?: string;
    platformRoles?: string[];
    whitelabelOwnership?: string | null;
  }): Promise<SeededPerson>;
  /** The cookie of a new session, as a browser sends it back. */
  signIn(person: Pick<SeededPerson, 'email' | 'password'>): Promise<{ cookie: string; setCookie: string }>;
  /** A token for the session of a cookie. */
  token(cookie: string): Promise<string>;
}

let count = 0;

/** People at the embedded identity provider, with every credential of theirs in view. */
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

/** A partner, made in the database: making one is what other tests are about. */
export async function partnerIn(
  { env }: Pick<TestPlatform, 'env'>,
  slug: string,
): Promise<{ id: string; slug: string }> {
  const now = env.clock.now();
  return env.prisma.partner.create({
    data: { id: newId('partner', now), slug, name: slug, createdAt: now, updatedAt: now },
  });
}

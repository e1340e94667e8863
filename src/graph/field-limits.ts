import type { GraphQLResolveInfo } from 'graphql';
import type { getGraphQLRateLimiter, Identity, Store } from 'graphql-rate-limit';
import type { Env } from '../env.ts';
import { RateLimited } from '../kit/errors.ts';
import type { Context } from './context.ts';

/** A limit on one field, whoever calls and over whichever surface (contract 6 and 23). */
export interface FieldLimit<Caller extends Context, Args> {
  name: string;
  perMinute: number;
  /** Whose calls are counted together. */
  whose(context: Caller, args: Args): string | Promise<string>;
}

const windowMs = 60_000;

/** Wraps a resolver: past the limit it is 429 until the minute is over. */
export function limitedTo<Parent, Args, Caller extends Context, Result>(
  limit: NoInfer<FieldLimit<Caller, Args>>,
  resolve: (parent: Parent, args: Args, context: Caller, info: GraphQLResolveInfo) => Result | Promise<Result>,
): (parent: Parent, args: Args, context: Caller, info: GraphQLResolveInfo) => Promise<Result> {
  return async (parent, args, context, info) => {
    const limiter = await limiterOf(context.env);
    const refused = await limiter(
      { parent, args: {}, context: { identity: await limit.whose(context, args) }, info },
      { max: limit.perMinute, window: '1m' },
    );
    if (refused !== undefined) {
      context.retryAfterS = Math.max(1, Math.ceil((windowMs - (context.env.clock.now().getTime() % windowMs)) / 1000));
      throw new RateLimited(context.retryAfterS);
    }
    return resolve(parent, args, context, info);
  };
}

type Limiter = ReturnType<typeof getGraphQLRateLimiter>;
const limiters = new WeakMap<Env['pool'], Promise<Limiter>>();

function limiterOf(env: Env): Promise<Limiter> {
  const known = limiters.get(env.pool);
  if (known) return known;
  const limiter = createLimiter(env);
  limiters.set(env.pool, limiter);
  return limiter;
}

/** The library brings a second one for permissions and that one's own libraries: they are loaded with the first limited call, not at every start. */
async function createLimiter(env: Env): Promise<Limiter> {
  const library = await import('graphql-rate-limit');
  return library.getGraphQLRateLimiter({
    identifyContext: ({ identity }: { identity: string }) => identity,
    store: new CallCounter(env),
  });
}

/**
 * The limiter's store in PostgreSQL, so that a limit holds across processes. Reading counts the call in the same statement: the
 * library's own read-then-write would let calls at the same moment pass unseen. A minute is the clock's own minute.
 */
class CallCounter implements Store {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  async getForIdentity({ contextIdentity, fieldIdentity }: Identity): Promise<readonly number[]> {
    const minute = new Date(Math.floor(this.#env.clock.now().getTime() / windowMs) * windowMs);
    const { rows } = await this.#env.pool.query<{ calls: number }>({
      name: 'count-field-call',
      text: count,
      values: [`${fieldIdentity}/${contextIdentity}`, minute],
    });
    // The library counts timestamps; what it calls its own time does not matter, since ours has said which calls are of this minute.
    return new Array<number>(Math.max(0, (rows[0]?.calls ?? 1) - 1)).fill(Date.now());
  }

  setForIdentity(): void {}
}

// Calls past any limit are counted no further: an array of that length is what the library is given.
const count = `INSERT INTO limits.field_calls AS c (identity, minute, calls) VALUES ($1, $2, 1)
ON CONFLICT (identity) DO UPDATE SET calls = CASE WHEN c.minute = excluded.minute THEN least(c.calls + 1, 1001) ELSE 1 END, minute = excluded.minute
RETURNING calls`;

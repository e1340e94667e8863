import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type InputShapeFromFields,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { getGraphQLRateLimiter, Identity, Store } from 'graphql-rate-limit';
import type { Context } from '../call/context.ts';
import { RateLimited } from '../lib/errors.ts';
import { noteCalls, windowLeftS } from '../limits/windows.ts';
import type { Services } from '../services.ts';

/** A rate limit of a field, over both surfaces (docs/contract/06-limits.md). */
export interface FieldLimit<Caller = Context, Args = object> {
  /** Fields whose limits have the same name share it. */
  name: string;
  perMinute: number;
  /** The identity for which calls are counted. */
  whose(context: Caller, args: Args): string | Promise<string>;
}

/** Above every limit. The library gets an array of at most this length. */
const callsCountedMax = 1_001;

/** Refuses calls of a field above its limit until the minute has ended: 429. They have passed scopes and rules of inputs. */
export const fieldLimitsName = 'fieldLimits' as const;

/** The extension of a field that has a limit. */
export const rateLimitOfField = 'rateLimit';

declare global {
  // Pothos finds the types of its plugins in this namespace.
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      fieldLimits: FieldLimits<Types>;
    }
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      rateLimit?: FieldLimit<Types['Context'], InputShapeFromFields<Args>>;
    }
  }
}

class FieldLimits<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { rateLimit } = config.pothosOptions;
    return rateLimit ? { ...config, extensions: { ...config.extensions, [rateLimitOfField]: rateLimit } } : config;
  }

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { pothosOptions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    // The option of a field is for the arguments and the caller of this field.
    const limit: FieldLimit | undefined = pothosOptions.rateLimit;
    if (!limit) return resolve;
    return async (parent, args, given, info) => {
      const context = given as Context; // the builder's
      const limiter = await limiterOf(context.services);
      const identity = await limit.whose(context, args);
      const refused = await limiter(
        { parent, args: {}, context: { identity }, info: { ...info, fieldName: limit.name } },
        { max: limit.perMinute, window: '1m' },
      );
      if (refused !== undefined) {
        context.retryAfterS = windowLeftS(context.services.clock);
        throw new RateLimited(context.retryAfterS);
      }
      return resolve(parent, args, given, info);
    };
  }
}

SchemaBuilder.registerPlugin(fieldLimitsName, FieldLimits);

type Limiter = ReturnType<typeof getGraphQLRateLimiter>;
const limiters = new WeakMap<Services['pool'], Promise<Limiter>>();

function limiterOf(services: Services): Promise<Limiter> {
  const known = limiters.get(services.pool);
  if (known) return known;
  const limiter = createLimiter(services);
  limiters.set(services.pool, limiter);
  return limiter;
}

/**
 * The library depends on a library for permissions and its dependencies: they are loaded by the first limited call and
 * not at every start.
 */
async function createLimiter(services: Services): Promise<Limiter> {
  const library = await import('graphql-rate-limit');
  return library.getGraphQLRateLimiter({
    identifyContext: ({ identity }: { identity: string }) => identity,
    store: new CallCounter(services),
  });
}

/**
 * The store of the limiter in PostgreSQL, so that a limit applies across processes. Reading counts the call in the same
 * statement: reading first and writing later, as the library does, would miss concurrent calls. Windows are the minutes
 * of the clock, not sliding.
 */
class CallCounter implements Store {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  async getForIdentity({ contextIdentity, fieldIdentity }: Identity): Promise<readonly number[]> {
    const calls = await noteCalls(this.#services, `${fieldIdentity}/${contextIdentity}`);
    // The library counts timestamps. Their values do not matter, since the statement counts the calls of this minute.
    return Array.from({ length: Math.min(callsCountedMax, calls) - 1 }, () => Date.now());
  }

  setForIdentity(): void {}
}

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
import { countInWindow } from '../limits/sliding-window.ts';
import type { Services } from '../services.ts';

/** The lengths of a window. */
const windows = { '1m': 60_000 } as const;

/** A rate limit of a field, over both surfaces (docs/errors-and-limits.md, 6). */
export interface FieldLimit<Caller = Context, Args = object> {
  /** How many calls are allowed in any period of this length. */
  max: number;
  window: keyof typeof windows;
  /** The identity for which calls are counted. */
  by(context: Caller, args: Args): string | Promise<string>;
  /** Fields whose limits have the same name share it. Defaults to the name of the field. */
  name?: string;
}

/** Refuses calls of a field above its limit: 429. They have passed scopes and rules of inputs. */
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
    const { max, window } = limit;
    return async (parent, args, given, info) => {
      const context = given as Context; // the builder's
      const calls = new CallsOfField(context.services, max, windows[window]);
      const limiter = await limiterWith(calls);
      const identity = await limit.by(context, args);
      const refused = await limiter(
        { parent, args: {}, context: { identity }, info: { ...info, fieldName: limit.name ?? info.fieldName } },
        { max, window, uncountRejected: true },
      );
      if (refused !== undefined) {
        context.answer.retryAfterS = calls.retryAfterS();
        throw new RateLimited(context.answer.retryAfterS);
      }
      return resolve(parent, args, given, info);
    };
  }
}

SchemaBuilder.registerPlugin(fieldLimitsName, FieldLimits);

/**
 * The library depends on a library for permissions and its dependencies: they are loaded by the first limited call and
 * not at every start.
 */
async function limiterWith(store: Store): Promise<ReturnType<typeof getGraphQLRateLimiter>> {
  const library = await import('graphql-rate-limit');
  return library.getGraphQLRateLimiter({ identifyContext: ({ identity }: { identity: string }) => identity, store });
}

/** The library reads the clock of this machine again after the store has answered. */
const slackMs = 1_000;

/**
 * The store of the limiter for one call, in PostgreSQL, so that a limit applies across processes. Reading the calls
 * before this one counts it in the same statement: reading first and writing later, as the library does, would miss
 * concurrent calls.
 */
class CallsOfField implements Store {
  readonly #services: Services;
  readonly #max: number;
  readonly #windowMs: number;
  #retryAfterMs = 0;

  constructor(services: Services, max: number, windowMs: number) {
    this.#services = services;
    this.#max = max;
    this.#windowMs = windowMs;
  }

  async getForIdentity({ contextIdentity, fieldIdentity }: Identity): Promise<readonly number[]> {
    const subject = `${fieldIdentity}/${contextIdentity}`;
    const { at, before } = await countInWindow(this.#services, subject, this.#max, this.#windowMs);
    const oldest = before[0] ?? at;
    this.#retryAfterMs = oldest.getTime() + this.#windowMs - at.getTime();
    // The library goes by the clock of this machine, the statement by that of the platform.
    const aheadMs = Date.now() - at.getTime() + slackMs;
    return before.map((call) => call.getTime() + aheadMs);
  }

  setForIdentity(): void {}

  /** The whole seconds, at least 1, until the oldest call that counts leaves the window. */
  retryAfterS(): number {
    return Math.max(1, Math.ceil(this.#retryAfterMs / 1000));
  }
}

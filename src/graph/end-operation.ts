import { RequestCache } from '@pothos/plugin-scope-auth';
import type { BuilderTypes } from './builder.ts';
import type { Context } from './context.ts';

/**
 * Forgets what scope-auth keeps for an operation that has ended: it is in a WeakMap by the context, and refers to the
 * context. A collection of young objects counts every value of a WeakMap as in use, so without this each operation
 * would stay in memory until the whole heap is marked.
 */
export function endOperation(context: Context): void {
  RequestCache.clearForContext<BuilderTypes>(context);
}

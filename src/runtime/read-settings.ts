import type { z } from 'zod';
import { type Environment, problemOf } from './setting-problems.ts';

export interface ReadSettings<Values> {
  /** Without those that are wrong; undefined if a required one is. */
  values: Values | undefined;
  wrong: string[];
  problems: string[];
}

export function readSettings<Values>(schema: z.ZodType<Values>, env: Environment): ReadSettings<Values> {
  const all = schema.safeParse(env);
  if (all.success) return { values: all.data, wrong: [], problems: [] };
  const wrong = all.error.issues.map(({ path }) => String(path[0]));
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.includes(name)));
  return { values: schema.safeParse(others).data, wrong, problems: wrong.map((name) => problemOf(name, env[name])) };
}

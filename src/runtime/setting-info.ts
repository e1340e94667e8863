import { z } from 'zod';
import type { Kind } from './setting-kinds.ts';

/** What is said of a setting beside its schema: in the table of settings and in the sentence of an error. */
export interface SettingInfo {
  type: string;
  right: string;
  isSecret: boolean;
  /** The default as Markdown. */
  default: string;
  description: string;
}

export const settingInfo = z.registry<SettingInfo>();

export function required<Value>(kind: Kind<Value>, description: string): z.ZodType<Value, string> {
  return registered(kind.schema.clone(), kind, 'required', description);
}

export function optional<Value>(
  kind: Kind<Value>,
  otherwise: string,
  description: string,
): z.ZodOptional<z.ZodType<Value, string>> {
  return registered(kind.schema.optional(), kind, otherwise, description);
}

export function withDefault<Value extends string | number | boolean | string[]>(
  kind: Kind<Value>,
  value: z.core.util.NoUndefined<Value>,
  description: string,
): z.ZodDefault<z.ZodType<Value, string>> {
  return registered(kind.schema.default(value), kind, `\`${String(value)}\``, description);
}

function registered<Schema extends z.ZodType>(
  schema: Schema,
  { type, right, isSecret = false }: Kind<unknown>,
  otherwise: string,
  description: string,
): Schema {
  settingInfo.add(schema, { type, right, isSecret, default: otherwise, description });
  return schema;
}

import { defineScalar, wholeNumber } from '../../graph/define-scalar.ts';
import { isJsonObject } from '../../graph/input.ts';
import { manifestSchema } from './manifest-schema.ts';

defineScalar('PluginManifest', {
  description:
    'The manifest of a plugin, an object with `pluginId`, `name`, `version`, `pages` and optionally `configuration`. ' +
    'At most 64 KiB of JSON without `configuration`. Further fields are stored unchanged.',
  jsonSchema: manifestSchema,
  expected: 'must be an object: the manifest of the plugin',
  // The operation reports the issues of each field.
  parse: (value) => (isJsonObject(value) ? value : undefined),
});

defineScalar('MountAlias', {
  description:
    'The first part of the path of a mount: 1 to 63 characters of `a-z`, `0-9` and `-`, not beginning with `-`.',
  jsonSchema: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', examples: ['checkout'] },
  expected: 'must be 1 to 63 characters of a-z, 0-9 and "-", not beginning with "-"',
  parse: (value) => (typeof value === 'string' && /^[a-z0-9][a-z0-9-]{0,62}$/.test(value) ? value : undefined),
});

defineScalar('BasePath', {
  description:
    'A path that begins with `/`: at most 200 characters of `A-Z`, `a-z`, `0-9`, `.`, `_`, `~` and `-` between ' +
    'slashes, without `.` or `..` as a part. A slash at its end is removed.',
  jsonSchema: {
    type: 'string',
    maxLength: 200,
    pattern: '^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*/?)?$',
    examples: ['/'],
  },
  expected:
    'must be a path such as "/" or "/help": at most 200 characters of A-Z, a-z, 0-9, ".", "_", "~" and "-" ' +
    'between slashes, without "." or ".." as a part',
  parse: (value) =>
    typeof value === 'string' &&
    value.length <= 200 &&
    /^\/([A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*\/?)?$/.test(value) &&
    !/(^|\/)\.\.?(\/|$)/.test(value)
      ? value.replace(/(.)\/$/, '$1')
      : undefined,
});

defineScalar('ConfigVersion', {
  description: 'The number of a configuration of an instance, counted from 1, at most 2,147,483,647.',
  jsonSchema: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
  expected: 'must be a whole number from 1 to 2147483647',
  parse: (value) => wholeNumber(value, 1, 2_147_483_647),
});

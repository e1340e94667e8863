import { Ajv2020 } from 'ajv/dist/2020.js';
import semver from 'semver';
import type { JsonObject } from '../../../graph/builder.ts';
import { isJsonObject, issuesMax } from '../../../graph/input/check.ts';
import { defineScalar, wholeNumber } from '../../../graph/scalars/define-scalar.ts';
import type { InputIssue } from '../../../lib/errors.ts';
import { issueOf } from '../json-schema/issues.ts';

const text = (maxLength: number, description: string): JsonObject => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
});
const optionalText = (maxLength: number, description: string): JsonObject => ({
  type: ['string', 'null'],
  maxLength,
  description,
});
const freeForm = (description: string): JsonObject => ({
  type: ['object', 'null'],
  additionalProperties: true,
  description,
});

const page: JsonObject = {
  type: 'object',
  required: ['path'],
  additionalProperties: false,
  properties: {
    path: {
      type: 'string',
      maxLength: 200,
      pattern: '^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*)?$',
      description:
        'The path of the page below the mount, such as /checkout. It is served from the first of the assets ' +
        '<path>.html, <path>/index.html and index.html that exists.',
    },
    name: optionalText(200, 'The display name of the page.'),
    features: {
      type: ['array', 'object', 'null'],
      items: {},
      description: 'The features of the page, in a form of your own. Stored and not interpreted.',
    },
    isDefault: {
      type: ['boolean', 'null'],
      description: 'Whether the page is also served at the root of a mount. At most one page can be marked.',
    },
  },
};

/** The schema that validates a manifest and that the API reference shows. */
const manifestSchema: JsonObject = {
  type: 'object',
  required: ['pluginId', 'name', 'version', 'pages'],
  properties: {
    pluginId: {
      type: 'string',
      pattern: '^[A-Za-z0-9@][A-Za-z0-9@._/-]{0,99}$',
      description:
        'Your identifier of the plugin, the same in all its versions: 1 to 100 characters of A-Z, a-z, 0-9, ".", ' +
        '"_", "-", "@" and "/". The first one is a letter, a digit or "@".',
    },
    name: text(200, 'The display name of the plugin.'),
    version: { type: 'string', minLength: 5, maxLength: 100, description: 'The semantic version, such as 1.4.0.' },
    description: optionalText(2_000, 'The purpose of the plugin.'),
    author: {
      type: ['string', 'object', 'null'],
      maxLength: 200,
      additionalProperties: true,
      description: 'The author of the plugin. Stored and not interpreted.',
    },
    category: optionalText(100, 'The category of the plugin, such as checkout. Stored and not interpreted.'),
    mode: optionalText(100, 'The intended use of the plugin, in your own words. Stored and not interpreted.'),
    pages: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      description:
        'The pages that the plugin serves, each with a different path. The root of a mount serves the page with the ' +
        'path "/", or else the one marked isDefault, or else the first one.',
      items: page,
    },
    configuration: {
      type: ['object', 'null'],
      additionalProperties: false,
      description: 'The schemas of the configuration of instances.',
      properties: {
        schema: freeForm(
          'The JSON Schema that every configuration must satisfy: 2020-12, or draft-07 if its $schema names it. Null ' +
            'if any configuration is valid.',
        ),
        uiSchema: freeForm('How a form shows the configuration. Stored and not interpreted.'),
      },
    },
  },
  additionalProperties: true,
  examples: [
    {
      pluginId: 'checkout-basic',
      name: 'Basic checkout',
      version: '1.0.0',
      pages: [{ path: '/checkout', name: 'Checkout', isDefault: true }],
      configuration: { schema: { type: 'object', properties: { color: { type: 'string' } } } },
    },
  ],
};

/** A page that a plugin serves, as its manifest declares it. */
export interface ManifestPage {
  path: string;
  name?: string;
  features?: unknown;
  isDefault?: boolean;
}

/** The manifest of a plugin. Further fields are stored and not interpreted. */
export interface Manifest extends JsonObject {
  pluginId: string;
  name: string;
  version: string;
  pages: ManifestPage[];
  configuration?: { schema?: JsonObject | null; uiSchema?: JsonObject | null } | null;
}

const manifestBytesMax = 64 * 1024;

const validate = new Ajv2020({ allErrors: true, strict: false, ownProperties: true }).compile(manifestSchema);

/** Returns the issues of a manifest, without those of its configuration schema. */
export function manifestIssues(manifest: JsonObject): InputIssue[] {
  if (Buffer.byteLength(JSON.stringify({ ...manifest, configuration: null })) > manifestBytesMax)
    return [
      { path: 'manifest', message: `must be at most ${manifestBytesMax} bytes of JSON beside its configuration` },
    ];
  if (!validate(manifest))
    return (validate.errors ?? []).slice(0, issuesMax).map((error) => issueOf(error, 'manifest'));
  const { version, pages } = manifest as Manifest; // validated above
  const issues: InputIssue[] = [];
  if (semver.valid(version) === null || /^[^0-9]/.test(version) || version !== version.trim())
    issues.push({ path: 'manifest.version', message: 'must be a semantic version, such as "1.4.0"' });
  const seen = new Set<string>();
  pages.forEach(({ path }, index) => {
    if (isTraversal(path))
      issues.push({ path: `manifest.pages[${index}].path`, message: 'must not have "." or ".." between its slashes' });
    if (seen.has(path))
      issues.push({ path: `manifest.pages[${index}].path`, message: 'must be unique: another page has this path' });
    seen.add(path);
  });
  if (pages.filter(({ isDefault }) => isDefault).length > 1)
    issues.push({ path: 'manifest.pages', message: 'must contain at most one page with isDefault' });
  return issues;
}

export function isTraversal(path: string): boolean {
  return path.split('/').some((part) => part === '.' || part === '..');
}

/** Returns the page served at the root of a mount. */
export function defaultPageOf(pages: readonly ManifestPage[]): ManifestPage | undefined {
  return pages.find(({ path }) => path === '/') ?? pages.find(({ isDefault }) => isDefault) ?? pages[0];
}

/** Separates the two configuration schemas from the manifest. */
export function partsOf({ configuration, ...manifest }: Manifest): {
  manifest: JsonObject;
  schema: JsonObject | null;
  uiSchema: JsonObject | null;
} {
  return { manifest, schema: objectOrNull(configuration?.schema), uiSchema: objectOrNull(configuration?.uiSchema) };
}

function objectOrNull(value: unknown): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

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

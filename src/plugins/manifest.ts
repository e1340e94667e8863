import { Ajv2020 } from 'ajv/dist/2020.js';
import semver from 'semver';
import type { JsonObject } from '../graph/builder.ts';
import { isJsonObject, issuesMax } from '../graph/input.ts';
import type { InputIssue } from '../kit/errors.ts';
import { issueOf } from './violations.ts';

export interface Page {
  path: string;
  name?: string;
  features?: unknown;
  isDefault?: boolean;
}

/** What a client says about its plugin. Fields beside these are kept and mean nothing to us. */
export interface Manifest extends JsonObject {
  pluginId: string;
  name: string;
  version: string;
  pages: Page[];
  configuration?: { schema?: JsonObject | null; uiSchema?: JsonObject | null } | null;
}

const manifestBytesMax = 64 * 1024;
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

/** Said once: what is checked, and what the reference shows. */
export const manifestSchema: JsonObject = {
  type: 'object',
  required: ['pluginId', 'name', 'version', 'pages'],
  properties: {
    pluginId: {
      type: 'string',
      pattern: '^[A-Za-z0-9@][A-Za-z0-9@._/-]{0,99}$',
      description:
        'Your own name of the plugin, the same in all its versions: 1 to 100 characters of A-Z, a-z, 0-9, ".", "_", "-", "@" and "/".',
    },
    name: text(200, 'What people call it.'),
    version: { type: 'string', minLength: 5, maxLength: 100, description: 'Semantic version, such as 1.4.0.' },
    description: optionalText(2_000, 'What it does.'),
    author: {
      type: ['string', 'object', 'null'],
      maxLength: 200,
      additionalProperties: true,
      description: 'Who made it.',
    },
    category: optionalText(100, 'What kind of plugin it is, such as checkout.'),
    mode: optionalText(100, 'How it is meant to be used, in your own words.'),
    pages: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      description:
        'The pages it serves. The one marked isDefault, or else the first, also answers at the root of a mount.',
      items: {
        type: 'object',
        required: ['path'],
        additionalProperties: false,
        properties: {
          path: {
            type: 'string',
            maxLength: 200,
            pattern: '^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*)?$',
            description:
              'Below the mount, such as /checkout. Answered with <path>.html, <path>/index.html or else index.html of the assets.',
          },
          name: optionalText(200, 'What people call the page.'),
          features: { type: ['array', 'object', 'null'], description: 'What it can do, in your own words.' },
          isDefault: {
            type: ['boolean', 'null'],
            description: 'Whether it also answers at the root of a mount; at most one page.',
          },
        },
      },
    },
    configuration: {
      type: ['object', 'null'],
      additionalProperties: false,
      description: 'What can be configured.',
      properties: {
        schema: freeForm('JSON Schema (2020-12, or draft-07 by its $schema) that every configuration satisfies.'),
        uiSchema: freeForm('How a form is to show it; free-form.'),
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

const validate = new Ajv2020({ allErrors: true, strict: false, ownProperties: true }).compile(manifestSchema);

/** Everything that is wrong with a manifest but its configuration's schema. */
export function manifestIssues(manifest: JsonObject): InputIssue[] {
  if (Buffer.byteLength(JSON.stringify({ ...manifest, configuration: null })) > manifestBytesMax)
    return [
      { path: 'manifest', message: `must be at most ${manifestBytesMax} bytes of JSON beside its configuration` },
    ];
  if (!validate(manifest))
    return (validate.errors ?? []).slice(0, issuesMax).map((error) => issueOf(error, 'manifest'));
  const { version, pages } = manifest as Manifest; // as was just seen
  const issues: InputIssue[] = [];
  if (semver.valid(version) === null || /^[^0-9]/.test(version) || version !== version.trim())
    issues.push({ path: 'manifest.version', message: 'must be a semantic version, such as "1.4.0"' });
  const seen = new Set<string>();
  pages.forEach(({ path }, index) => {
    if (isTraversal(path))
      issues.push({ path: `manifest.pages[${index}].path`, message: 'must not have "." or ".." between its slashes' });
    if (seen.has(path))
      issues.push({ path: `manifest.pages[${index}].path`, message: 'is the path of another page, too' });
    seen.add(path);
  });
  if (pages.filter(({ isDefault }) => isDefault).length > 1)
    issues.push({ path: 'manifest.pages', message: 'must have at most one page with isDefault' });
  return issues;
}

export function isTraversal(path: string): boolean {
  return path.split('/').some((part) => part === '.' || part === '..');
}

/** The page that answers at the root. */
export function defaultPageOf(pages: readonly Page[]): Page | undefined {
  return pages.find(({ path }) => path === '/') ?? pages.find(({ isDefault }) => isDefault) ?? pages[0];
}

/** The two schemas of a manifest, and the rest of it. */
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

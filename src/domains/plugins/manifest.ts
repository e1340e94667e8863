import { Ajv2020 } from 'ajv/dist/2020.js';
import semver from 'semver';
import type { JsonObject } from '../../graph/builder.ts';
import { isJsonObject, issuesMax } from '../../graph/input.ts';
import type { InputIssue } from '../../kit/errors.ts';
import { manifestSchema } from './manifest-schema.ts';
import { issueOf } from './violations.ts';

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

import { domains } from '../../src/domains.ts';
import type { Surface } from '../surfaces.ts';
import type { JsonSchema } from './openapi-schemas.ts';

/** The groups of the API reference. A group is a folder of documents, described by the domain of the same name. */
const groups = new Map(
  domains.flatMap((domain) => ('reference' in domain ? [[domain.name as string, domain.reference] as const] : [])),
);

/** The tags of the named groups: in the order of the surface, then of the domains. Those that nobody describes last. */
export function tagsOf(names: ReadonlySet<string>, { groups: own = {} }: Surface): JsonSchema[] {
  const described = new Map([...Object.entries(own), ...groups]);
  const known = [...described.keys()].filter((name) => names.has(name));
  const others = [...names].filter((name) => !described.has(name)).sort();
  return [...known, ...others].map((name) => {
    const { title, description } = described.get(name) ?? { title: name, description: '' };
    return { name, 'x-displayName': title, ...(description !== '' && { description }) };
  });
}

const shortForms: Readonly<Record<string, string>> = { api: 'API', kyb: 'KYB' };

/** A short title for the list of operations in the API reference: `CreateApiKey` → `Create API key`. */
export function titleOf(operation: string): string {
  const words = operation.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const title = words.map((word) => shortForms[word] ?? word).join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

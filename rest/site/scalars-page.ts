import { type GraphQLSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import { escapeHtml } from '../../src/kit/html.ts';

/** What each scalar of the graph accepts, at the address that its `@specifiedBy` names. */
export function scalarsPage(schema: GraphQLSchema): string {
  const scalars = Object.values(schema.getTypeMap())
    .filter(isScalarType)
    .filter((type) => !isSpecifiedScalarType(type))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  const sections = scalars.map(
    ({ name, description, extensions }) => `<section id="${name}"><h2>${name}</h2>
<p>${escapeHtml(description ?? '')}</p>
<pre>${escapeHtml(JSON.stringify(extensions['jsonSchema'] ?? {}, null, 2))}</pre></section>`,
  );
  return `<p>Each with its bounds as JSON Schema. A value that does not fit is 400, and the error names the field.</p>
${sections.join('\n')}`;
}

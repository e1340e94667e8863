import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { loadEndpoints } from '../../rest/engine/endpoint.ts';
import { openApi } from '../../rest/openapi/document.ts';
import { readExamples } from '../../rest/openapi/operation.ts';
import type { JsonSchema } from '../../rest/openapi/schemas.ts';
import { schema } from '../../src/schema.ts';

const examples = readExamples();
const documents = {
  'public API': { public: loadEndpoints(schema, 'public'), plugins: loadEndpoints(schema, 'plugins') },
  'API for people': { iam: loadEndpoints(schema, 'iam') },
};

interface Operation {
  security?: unknown[];
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: { name?: string; in?: string; description?: string; example?: string }[];
  requestBody?: { content: { 'application/json': { schema: JsonSchema; example?: unknown } } };
  responses: Record<string, { content: { 'application/json': { schema: JsonSchema; example?: unknown } } }>;
}

describe.each(Object.entries(documents))('the API reference of the whole %s', (_name, endpoints) => {
  const text = openApi(schema, endpoints, { publicUrl: 'https://pay.example.com', examples });
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(text, 'openapi');
  const operations = Object.entries(text['paths'] as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  ); // as openApi builds it

  /** The validation errors of a value by the schema at a pointer of the document. */
  function problems(path: string, method: string, place: string, value: unknown): unknown {
    const pointer = ['paths', path, method, ...place.split(' ')]
      .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const validate = ajv.compile({ $ref: `openapi#/${pointer}` });
    return validate(value) ? null : validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  // What takes no key is for browsers, and answers with pages.
  test.each(
    operations.filter(({ operation }) => operation.security?.length !== 0),
  )('200 of $method $path: its example matches the schema, request and response', ({ path, method, operation }) => {
    const example = examples[operation.operationId];
    expect(example, 'tell it in test/support/example-story.ts').toBeDefined();
    expect(problems(path, method, 'responses 200 content application/json schema', example?.answer)).toBeNull();
    if (operation.requestBody && example?.body !== undefined)
      expect(problems(path, method, 'requestBody content application/json schema', example.body)).toBeNull();
    expect(
      (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path' && parameter.example === undefined)
        .map(({ name }) => name),
    ).toEqual([]);
  });

  test('each operation has a unique short title and a description; each group has a description', () => {
    const titles = operations.map(({ operation }) => operation.summary);
    expect(titles.filter((title, index) => title.length > 40 || titles.indexOf(title) !== index)).toEqual([]);
    expect(
      operations
        .filter(({ operation }) => !/^[A-Z].{15,}\./s.test(operation.description))
        .map(({ operation }) => operation.operationId),
    ).toEqual([]);
    const tags = text['tags'] as { name: string; description?: string }[]; // as openApi builds it
    expect(tags.filter(({ description }) => description === undefined)).toEqual([]);
    expect(tags.map(({ name }) => name).sort()).toEqual(
      [...new Set(operations.flatMap(({ operation }) => operation.tags))].sort(),
    );
  });
});

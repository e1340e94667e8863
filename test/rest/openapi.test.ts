import { describe, expect, test } from 'vitest';
import { openApi } from '../../rest/openapi/document.ts';
import { endpoints, schema } from './small-facade.ts';

const text = openApi(
  schema,
  { public: endpoints, plugins: endpoints.slice(0, 1) },
  {
    publicUrl: 'https://pay.example/',
    examples: {
      CreateOrder: { body: { amount: 1 }, answer: { id: 'ord_1' } },
      GetOrder: { params: { id: 'ord_1' }, answer: { id: 'ord_1' } },
    },
  },
);

/** The value at a JSON pointer. */
function at(pointer: string): unknown {
  let place: unknown = text;
  for (const step of pointer.replace(/^#?\//, '').split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as Record<string, unknown>)[name];
  }
  return place;
}

describe('the OpenAPI text', () => {
  test('has every endpoint, and plugins below their own root', () => {
    expect(at('/servers')).toEqual([{ url: 'https://pay.example/api/public/v1' }]);
    expect(
      Object.entries(at('/paths') as object).map(
        ([path, methods]) => `${path} ${Object.keys(methods as object).join(' ')}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "/archive delete",
        "/orders/{id} put get",
        "/orders/create post",
        "/plugins/orders/create post",
        "/orders/list post",
      ]
    `);
  });

  test('every reference resolves', () => {
    const refs = [...JSON.stringify(text).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');
    expect(refs.length).toBeGreaterThan(20);
    expect(refs.filter((ref) => at(ref) === undefined)).toEqual([]);
  });

  test('has bodies, bounds and nullability of the schema', () => {
    expect(at('/paths/~1orders~1create/post/requestBody')).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/OrderInput' }, example: { amount: 1 } } },
    });
    expect(at('/components/schemas/OrderInput')).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "amount": {
            "$ref": "#/components/schemas/Amount",
          },
          "choice": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/ChoiceInput",
              },
              {
                "type": "null",
              },
            ],
          },
          "color": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Color",
              },
              {
                "type": "null",
              },
            ],
          },
          "items": {
            "items": {
              "$ref": "#/components/schemas/LineInput",
            },
            "maxItems": 100,
            "type": [
              "array",
              "null",
            ],
          },
          "metadata": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/JSONObject",
              },
              {
                "type": "null",
              },
            ],
          },
          "note": {
            "type": [
              "string",
              "null",
            ],
          },
          "tags": {
            "items": {
              "type": "string",
            },
            "maxItems": 100,
            "type": [
              "array",
              "null",
            ],
          },
          "urgent": {
            "type": [
              "boolean",
              "null",
            ],
          },
        },
        "required": [
          "amount",
        ],
        "type": "object",
      }
    `);
    expect(at('/components/schemas/LineInput')).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "name": {
            "description": "What it is.",
            "type": "string",
          },
          "quantity": {
            "description": "Default: \`1\`.",
            "format": "int32",
            "type": "integer",
          },
          "unit": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Color",
              },
              {
                "type": "null",
              },
            ],
            "description": "Default: \`red\`.",
          },
        },
        "required": [
          "name",
        ],
        "type": "object",
      }
    `);
  });

  test('has the example of an operation in request and response, if there is one', () => {
    expect(at('/paths/~1orders~1create/post/responses/200/content/application~1json/example')).toEqual({ id: 'ord_1' });
    expect(at('/paths/~1orders~1list/post/requestBody/content/application~1json')).not.toHaveProperty('example');
  });

  test('has short operation names', () => {
    expect(
      ['/orders~1create/post', '/orders~1list/post', '/archive/delete'].map((place) =>
        at(`/paths/~1${place.slice(1)}/summary`),
      ),
    ).toEqual(['Create order', 'List orders', 'Archive orders']);
  });

  test('describes the response by the selection of the document', () => {
    expect(at('/paths/~1orders~1list/post/responses/200/content/application~1json/schema')).toEqual({
      $ref: '#/components/schemas/OrderPage',
    });
    expect(at('/components/schemas/OrderPage')).toMatchInlineSnapshot(`
      {
        "properties": {
          "orders": {
            "items": {
              "$ref": "#/components/schemas/OrderFields",
            },
            "type": "array",
          },
          "page": {
            "format": "int32",
            "type": "integer",
          },
        },
        "required": [
          "orders",
          "page",
        ],
        "type": "object",
      }
    `);
    expect(at('/components/schemas/OrderFields')).toMatchInlineSnapshot(`
      {
        "properties": {
          "amount": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Amount",
              },
              {
                "type": "null",
              },
            ],
          },
          "color": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Color",
              },
              {
                "type": "null",
              },
            ],
          },
          "id": {
            "description": "Its identifier.",
            "type": "string",
          },
          "note": {
            "type": "string",
          },
        },
        "required": [
          "id",
          "amount",
          "color",
        ],
        "type": "object",
      }
    `);
  });

  test('has path parameters, and the Idempotency-Key on mutations only', () => {
    expect(at('/paths/~1orders~1{id}/get/parameters')).toMatchInlineSnapshot(`
      [
        {
          "example": "ord_1",
          "in": "path",
          "name": "id",
          "required": true,
          "schema": {
            "type": "string",
          },
        },
      ]
    `);
    expect(at('/paths/~1orders~1{id}/put/parameters')).toMatchObject([
      { name: 'id', in: 'path' },
      { $ref: '#/components/parameters/Idempotency-Key' },
    ]);
  });

  test('has an error response with example for each status, in the error body of the surface', () => {
    expect(at('/components/responses/ApiError409/content/application~1json/example')).toHaveProperty('data');
    expect(at('/components/responses/PluginError409/content/application~1json/example')).toHaveProperty('issues');
  });

  test('has the errors that an operation can give: 409 of writes only, 404 where an object is named', () => {
    const statuses = (place: string) => Object.keys(at(`/paths/~1${place}/responses`) as object).join(' ');
    expect(statuses('orders~1create/post')).toBe('200 400 401 403 409 413 415 429 500 503');
    expect(statuses('orders~1{id}/put')).toBe('200 400 401 403 404 409 413 415 429 500 503');
    expect(statuses('orders~1{id}/get')).toBe('200 400 401 403 404 429 500 503');
    expect(statuses('orders~1list/post')).toBe('200 400 401 403 413 415 429 500 503');
  });
});

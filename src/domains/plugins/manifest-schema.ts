import type { JsonObject } from '../../graph/builder.ts';

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
export const manifestSchema: JsonObject = {
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

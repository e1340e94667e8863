import type { JsonSchema } from './openapi-schemas.ts';

const text = (name: string, description: string, isRequired = false): JsonSchema => ({
  name,
  in: 'query',
  description,
  ...(isRequired && { required: true }),
  schema: { type: 'string' },
});

const page = (description: string): JsonSchema => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } } },
});

/** The callback of `initiate`, for whoever registers it as redirect address at a processor. It is no document. */
export const connectCallback: JsonSchema = {
  operationId: 'FinishCardprocessorConnect',
  tags: ['processors'],
  summary: 'Finish cardprocessor connect',
  description:
    'The address to which the authorization page of the processor redirects the browser. It is not called with a ' +
    'key; it is the redirect address that the OAuth client of the platform is registered with.',
  security: [],
  parameters: [
    text('state', 'The state of the attempt, from the page of consent. Valid once, for 10 minutes.', true),
    text('code', 'The authorization code, if the merchant approved.'),
    text('error', 'The error of the processor, such as `access_denied`, if the merchant did not approve.'),
  ],
  responses: {
    200: page('The attempt has ended, and it has no return URL: a page says how.'),
    303: {
      description: 'The attempt has ended: the return URL, with `status`, `processorId` and `reason`.',
      headers: { Location: { description: 'The return URL.', schema: { type: 'string', format: 'uri' } } },
    },
    400: page('The state was not issued by the platform.'),
    403: page('The connection was not confirmed in this browser (`consent_missing`).'),
  },
};

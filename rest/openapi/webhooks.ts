import { type EventType, eventTypes } from '../../src/registry.ts';
import { type Components, type JsonSchema, pascalCase, refTo, sharedComponent } from './schemas.ts';

/**
 * The schema of `data.object` of an event: fragments of the REST documents, by the type of the event or the object in
 * it. The secret of a session is left out (docs/contract/17-events-and-webhooks.md).
 */
const objects: Readonly<Record<string, readonly [string, ...string[]]>> = {
  account: ['account'],
  'account/kybUpdated': ['kyb'],
  customer: ['customer'],
  paymentInstrument: ['paymentInstrument'],
  payment: ['payment'],
  order: ['order'],
  subscription: ['subscriptionWithPayment'],
  dispute: ['dispute'],
  'plugin/deployed': ['pluginDeploymentSummary'],
  'plugin/configUpdated': ['pluginDeploymentSummary', 'pluginInstanceWithIssues'],
  funnel: ['funnelSession without url'],
  webhook: ['webhookEndpoint'],
};

/** The fragments that `data.object` may have: it has the fields of one of them. */
function objectsOf(type: EventType | 'webhook/test'): readonly [string, ...string[]] {
  const found = objects[type] ?? objects[type.split('/')[0] ?? ''];
  if (!found) throw new Error(`rest/openapi/webhooks.ts does not say what the object of ${type} is.`);
  return found;
}

const sentTypes: readonly (EventType | 'webhook/test')[] = [...eventTypes, 'webhook/test'];

/**
 * The messages that endpoints receive: one for each type of event, with exactly the object that GET returns. `Event`
 * becomes the union of them. Absent from a document without events.
 */
export function webhooks(components: Components): JsonSchema {
  const any = components.get('Event');
  if (!any) return {};
  components.delete('EventData');
  const names = new Map(sentTypes.map((type) => [type, `${pascalCase(type)}Event`]));
  for (const [type, name] of names) components.set(name, eventSchema(type, any, components));
  components.set('Event', {
    description: any['description'],
    oneOf: [...names.values()].map(refTo),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries([...names].map(([type, name]) => [type, `#/components/schemas/${name}`])),
    },
  });
  return { webhooks: Object.fromEntries([...names].map(([type, name]) => [type, { post: messageOf(type, name) }])) };
}

function eventSchema(type: (typeof sentTypes)[number], any: JsonSchema, components: Components): JsonSchema {
  const refs = objectsOf(type).map((fragment) => objectReference(fragment, components));
  return {
    type: 'object',
    description: `The event \`${type}\`.`,
    properties: {
      // an object schema, made of a fragment
      ...(any['properties'] as JsonSchema),
      type: { type: 'string', const: type, description: 'The type of the event.' },
      data: {
        type: 'object',
        description: 'The data of the event.',
        properties: {
          object: {
            ...(refs.length === 1 ? refs[0] : { anyOf: refs }),
            description: 'The object as GET answered it directly after the change.',
          },
        },
        required: ['object'],
      },
    },
    required: any['required'],
  };
}

/** `funnelSession`, or `funnelSession without url`. */
function objectReference(written: string, components: Components): JsonSchema {
  const [fragment = '', without] = written.split(' without ');
  const whole = components.get(pascalCase(fragment));
  if (!whole) throw new Error(`rest/openapi/webhooks.ts: no endpoint answers the fragment ${fragment}.`);
  if (without === undefined) return refTo(pascalCase(fragment));
  const { [without]: _left, ...properties } = whole['properties'] as JsonSchema; // an object schema
  const required = (whole['required'] as string[]).filter((name) => name !== without);
  return sharedComponent(`Sent${pascalCase(fragment)}`, components, { ...whole, properties, required });
}

const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The headers of Standard Webhooks. */
const headers = [
  header('webhook-id', 'The id of the event. It is the same when the event is sent again.'),
  header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
  header('webhook-signature', 'The signatures of the message, `v1,…`, separated by spaces.'),
];

const repetition = 'A message may arrive more than once: compare `webhook-id`.';

function messageOf(type: string, name: string): JsonSchema {
  return {
    operationId: `Receive${name}`,
    tags: ['webhooks'],
    summary: type,
    description: `Sent to each endpoint that names \`${type}\`. ${repetition}`,
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema: refTo(name) } } },
    responses: {
      200: { description: 'The event was received. Any other 2xx is as good. Anything else is tried again for days.' },
      410: { description: 'The endpoint is gone: it is disabled at once.' },
    },
  };
}

import { builder } from './graph/builder.ts';
import { choiceScalar, defineScalar } from './graph/scalars/define-scalar.ts';
import { eventTypes } from './registry.ts';
import './graph/scalars/all.ts';
import './relations/customer-data.ts';
import './relations/links.ts';

// Each domain adds its types to the builder when it is imported. The scalar of all event types needs all of them.
const eventType = 'The type of an event, such as `payment/succeeded`.';
defineScalar('EventType', choiceScalar(eventType, eventTypes));
defineScalar(
  'SentEventType',
  choiceScalar(`${eventType} \`webhook/test\` is sent and not listed.`, [...eventTypes, 'webhook/test']),
);

/** The whole graph. */
export const schema = builder.toSchema();

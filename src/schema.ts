import { eventTypes } from './domains.ts';
import { builder } from './graph/builder.ts';
import { choiceScalar, defineScalar } from './graph/define-scalar.ts';
import './graph/scalars.ts';

// Each domain adds its types to the builder when it is imported. The scalar of all event types needs all of them.
defineScalar('EventType', choiceScalar('The type of an event, such as `payment/succeeded`.', eventTypes));

/** The whole graph. */
export const schema = builder.toSchema();

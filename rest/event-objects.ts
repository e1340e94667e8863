import type { EventType } from '../src/domains.ts';

/**
 * What `data.object` of an event is: fragments of the REST documents, by the type of the event or the object in it. The
 * secret that opens a session is left out (docs/contract/17-events-and-webhooks.md).
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

/** The fragments of one of which `data.object` has the fields. */
export function objectsOf(type: EventType | 'webhook/test'): readonly [string, ...string[]] {
  const found = objects[type] ?? objects[type.split('/')[0] ?? ''];
  if (!found) throw new Error(`rest/event-objects.ts does not say what the object of ${type} is.`);
  return found;
}

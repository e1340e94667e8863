import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input/rules.ts';

export const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  description:
    'The webhook endpoint to create. There can be 20 endpoints per account, and 20 endpoints for all accounts of a ' +
    'partner in each mode.',
  fields: (t) => ({
    url: t.field({
      type: 'Url',
      required: true,
      description: 'The URL to send events to. 400 if it belongs to a private network, or is not https in live mode.',
    }),
    eventTypes: t.field({
      type: ['EventType'],
      required: true,
      description: 'The types of event to send. At least one.',
    }),
    storeId: t.id({
      description:
        'The store whose events are sent, prefix `store_`. If it is left out, events of the whole account are sent ' +
        "with a sub-key, and events of all the partner's accounts in the mode of the key with a partner key.",
    }),
    description: t.field({ type: 'ShortText', description: 'A description of the endpoint.' }),
    ordered: t.boolean({
      defaultValue: false,
      description:
        'Whether to send the events of one object one after the other. An event that fails then delays the later ' +
        'events of its object.',
    }),
  }),
});

export const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'The changes to a webhook endpoint. Fields that are left out keep their values.',
  fields: (t) => ({
    url: t.field({ ...notNull, type: 'Url', description: 'The URL to send events to, from the next attempt on.' }),
    eventTypes: t.field({
      ...notNull,
      type: ['EventType'],
      description: 'The types of event to send. At least one. Replaces the current types.',
    }),
    description: t.field({ type: 'ShortText', description: 'A description of the endpoint; null removes it.' }),
    ordered: t.boolean({ ...notNull, description: 'Whether to send the events of one object one after the other.' }),
    enabled: t.boolean({
      ...notNull,
      description:
        'Whether to send events. Setting it to false marks open deliveries dead. Setting it to true sends events ' +
        'from then on; events that occurred while it was false must be redelivered.',
    }),
  }),
});

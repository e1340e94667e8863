import { builder } from '../graph/builder.ts';
import { initiateConnect } from './operations.ts';

export const InitiateConnectInput = builder.inputType('InitiateConnectInput', {
  description: 'Which processor to connect, and where the browser goes after.',
  fields: (t) => ({
    processorId: t.string({
      required: true,
      description: 'A processor whose type has OAuth (`stripe`), prefix `proc_`.',
    }),
    returnUrl: t.field({
      type: 'Url',
      description:
        'Where the browser goes in the end, with `status=success` or `status=error` and a `reason`. In live mode https. Without an address it ends on a page of ours.',
    }),
    isFromOnboarding: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether this is part of an onboarding: the address then gets `isFromOnboarding=true`, too.',
    }),
    redirectUrl: t.field({ type: 'Url', description: 'The same as `returnUrl`, and taken before it.' }),
  }),
});

const ConnectAddress = builder.objectRef<{ url: string }>('ConnectAddress').implement({
  description: 'Where to send the merchant.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description: "The address of the processor's OAuth authorization page. Good once, for ten minutes.",
    }),
  }),
});

builder.mutationField('initiateCardprocessorConnect', (t) =>
  t.withAuth({ key: true }).field({
    type: ConnectAddress,
    description:
      "Begins to connect a merchant's own account at a card processor. The merchant decides on the processor's page; what it gives us is kept encrypted with the processor, which then is `connected`. Reasons of `status=error`: `access_denied`, `authorization_failed`, `code_refused`, `token_endpoint_unavailable`, `token_answer_invalid`, `mode_mismatch`, `state_expired`, `state_used`. 404 for a processor that is not within the reach of the key, 409 `connect_not_configured` in live mode where the platform has no client at the processor. In test mode without one, the page is our own.",
    args: { input: t.arg({ type: InitiateConnectInput, required: true, description: 'What to connect.' }) },
    resolve: (_root, { input }, context) => initiateConnect(context, input),
  }),
);

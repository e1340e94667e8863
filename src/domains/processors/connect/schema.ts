import { builder } from '../../../graph/builder.ts';
import { authorizationAddress, initiateConnect } from './attempt.ts';

export const InitiateConnectInput = builder.inputType('InitiateConnectInput', {
  description: 'The processor to connect, and the address to which the browser returns.',
  fields: (t) => ({
    processorId: t.id({
      required: true,
      description: 'Identifier of a processor of type `stripe`, prefix `proc_`. Other types are refused with 400.',
    }),
    returnUrl: t.field({
      type: 'Url',
      description:
        'The URL to which the browser is redirected at the end, with `status=success`, or `status=error` and a ' +
        '`reason`. Must use https in live mode. By default the browser stays on a page of the platform.',
    }),
    isFromOnboarding: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Whether this is part of an onboarding. If true, `isFromOnboarding=true` is added to the return URL.',
    }),
    redirectUrl: t.field({
      type: 'Url',
      description: 'Alternative name of `returnUrl`. If both are given, this one is used.',
    }),
  }),
});

const ConnectAddress = builder.objectRef<{ url: string }>('ConnectAddress').implement({
  description: 'The address to which the merchant is sent.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        'URL of the OAuth authorization page of the processor: authorization-code flow with PKCE (`S256`). Its ' +
        '`state` is valid once, for 10 minutes.',
    }),
  }),
});

builder.mutationField('initiateCardprocessorConnect', (t) =>
  t.withAuth({ key: true }).field({
    type: ConnectAddress,
    description:
      "Starts to connect a merchant's own account at a card processor. The merchant approves on the processor's page, " +
      'and then on a page of the platform that names the partner, the account and the mode. The tokens obtained are ' +
      'stored encrypted with the processor, which is `connected` from then on. With `status=error` the reason is one ' +
      'of `access_denied`, `authorization_failed`, `code_refused`, `token_endpoint_unavailable`, ' +
      '`token_answer_invalid`, `mode_mismatch`, `state_expired` and `state_used`. 404 if the processor is not visible ' +
      'to the API key. 409 `connect_not_configured` in live mode if the platform has no client at the processor; in ' +
      "test mode the platform's own test page is used instead.",
    args: {
      input: t.arg({ type: InitiateConnectInput, required: true, description: 'The processor to connect.' }),
    },
    storedAnswer: { answerOf: (stored, { services }) => authorizationAddress(services, stored as { id: string }) },
    resolve: (_root, { input }, context) => initiateConnect(context, input),
  }),
);

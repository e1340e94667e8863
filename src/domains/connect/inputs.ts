import { builder } from '../../graph/builder.ts';

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

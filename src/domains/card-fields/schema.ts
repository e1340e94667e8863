import { builder } from '../../graph/builder.ts';
import { createClientSession } from './create-client-session.ts';
import { CreateClientSessionInput } from './inputs.ts';
import { readClientSession } from './read-client-session.ts';
import { ClientSessionRef, CreatedClientSession } from './types.ts';

builder.queryField('clientSession', (t) =>
  t.withAuth({ key: true }).field({
    type: ClientSessionRef,
    description: 'Returns a client session. 404 if it is not visible to the API key, or expired more than a day ago.',
    args: {
      clientSessionId: t.arg.id({ required: true, description: 'The client session, prefix `cs_`.' }),
    },
    resolve: (_root, { clientSessionId }, context) => readClientSession(context, clientSessionId),
  }),
);

builder.mutationField('createClientSession', (t) =>
  t.withAuth({ key: true }).field({
    type: CreatedClientSession,
    description:
      "Creates a client session, with which a merchant's page shows card fields and gets one token. It takes at most " +
      '10 submitted cards within 30 minutes and makes one token of them. Declines count against its address and ' +
      'store as those of checkout pages do.',
    args: {
      input: t.arg({ type: CreateClientSessionInput, required: true, description: 'What the fields may do.' }),
    },
    resolve: (_root, { input }, context) => createClientSession(context, input),
  }),
);

import type { ClientSession } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { scriptFile } from './browser-files.ts';
import { clientSecretOf } from './client-secret.ts';

const ClientSessionStatus = builder.enumType('ClientSessionStatus', {
  description: 'The status of a client session.',
  values: {
    open: { description: 'The page can submit a card.' },
    complete: { description: 'The session has made its token.' },
    expired: { description: 'The session expired before a card was submitted.' },
  } as const,
});

export const ClientSessionRef = builder.prismaObject('ClientSession', {
  description:
    "What a merchant's page may do with its card fields: make one token. It is deleted a day after it expires.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the client session, prefix `cs_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    customerId: t.exposeID('customerId', {
      nullable: true,
      description: 'The only customer for whom the token can be exchanged, prefix `cus_`. Null for any.',
    }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The amount that the fields show, in minor units. Null if they show none.',
      resolve: ({ amount }) => amount,
    }),
    currency: t.expose('currency', {
      type: 'Currency',
      nullable: true,
      description: 'The currency of `amount`. Null without an amount.',
    }),
    origins: t.exposeStringList('origins', { description: 'The origins of the pages that may show the fields.' }),
    status: t.field({
      type: ClientSessionStatus,
      description: 'The status of the client session.',
      resolve: ({ token, expiresAt }, _args, { services }) =>
        token !== null ? 'complete' : expiresAt <= services.clock.realPassed() ? 'expired' : 'open',
    }),
    token: t.exposeString('token', {
      nullable: true,
      description: 'The token that the session made, prefix `tok_`. Null until a card was submitted.',
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the session made its token. Null until then.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time at which the session takes no card any more: 30 minutes after its creation.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the session was created.' }),
  }),
});

export const CreatedClientSession = builder.objectRef<ClientSession>('CreatedClientSession').implement({
  description: 'A new client session, with its secret.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the client session, prefix `cs_`.' }),
    clientSecret: t.string({
      description:
        'The secret that opens the session, for the page of one visitor. Only this answer contains it; the platform ' +
        'stores its hash.',
      resolve: ({ id }, _args, { services }) => clientSecretOf(services.config, id),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time at which the session takes no card any more: 30 minutes after its creation.',
    }),
    scriptUrl: t.string({
      description: 'URL of the script that mounts the fields. Its content never changes.',
      resolve: (_session, _args, { services }) => `${services.config.publicUrl}${scriptFile.path}`,
    }),
    scriptIntegrity: t.string({
      description: 'The `integrity` attribute of the script element.',
      resolve: () => scriptFile.integrity,
    }),
    returnUrl: t.string({
      description:
        'The `returnUrl` of a charge of the card: a page that ends the layer in which the script shows a challenge.',
      resolve: ({ id }, _args, { services }) => `${services.config.publicUrl}/fields/return/${id}`,
    }),
  }),
});

import { visible } from '../../auth/visible.ts';
import type { ClientSession } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { scriptFile } from './browser-files.ts';
import { clientSecretOf, createClientSession } from './client-session.ts';

const ClientSessionStatus = builder.enumType('ClientSessionStatus', {
  description: 'The status of a client session.',
  values: {
    open: { description: 'The page can submit a card.' },
    complete: { description: 'The session has created its token.' },
    expired: { description: 'The session expired before a card was submitted.' },
  } as const,
});

const ClientSessionRef = builder.prismaObject('ClientSession', {
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
        token !== null ? 'complete' : expiresAt <= services.clock.earliestReal() ? 'expired' : 'open',
    }),
    token: t.exposeString('token', {
      nullable: true,
      description: 'The token that the session created, prefix `tok_`. Null until a card was submitted.',
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the session created its token. Null until then.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time at which the session expires: 30 minutes after its creation.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the session was created.' }),
  }),
});

const CreatedClientSession = builder.objectRef<ClientSession>('CreatedClientSession').implement({
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
      description: 'Time at which the session expires: 30 minutes after its creation.',
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

export const CreateClientSessionInput = builder.inputType('CreateClientSessionInput', {
  description: "What the card fields of a merchant's page may do.",
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store at which the card is stored, prefix `store_`. Required with a partner key, and with a sub-key ' +
        'whose account has several stores.',
    }),
    customerId: t.id({
      description:
        'An existing customer of the store, prefix `cus_`: the token can be exchanged for this customer only. Any ' +
        'customer if left out. 404 if the customer is not visible to the API key, 400 if the customer belongs to ' +
        'another store.',
    }),
    amount: t.field({
      type: 'Amount',
      description:
        'The amount that the fields show, in minor units. It is not charged and binds no charge. Given together with ' +
        '`currency`, or not at all.',
    }),
    currency: t.field({
      type: 'Currency',
      description: "The currency of `amount`, one of the store's charge currencies.",
    }),
    origins: t.stringList({
      required: true,
      description:
        'The origins of the pages that may show the fields, 1 to 10, each exact, such as `https://shop.example.com`: ' +
        'https, without a path or a wildcard. In test mode http is accepted for `localhost`, names below it, and ' +
        '`127.0.0.1`.',
    }),
  }),
});

builder.queryField('clientSession', (t) =>
  t.withAuth({ suspendedKey: true }).field({
    type: ClientSessionRef,
    description: 'Returns a client session. 404 if it is not visible to the API key, or expired more than a day ago.',
    args: {
      clientSessionId: t.arg.id({ required: true, description: 'The client session, prefix `cs_`.' }),
    },
    resolve: (_root, { clientSessionId }, context) => visible(context, 'clientSession', clientSessionId),
  }),
);

builder.mutationField('createClientSession', (t) =>
  t.withAuth({ key: true }).field({
    type: CreatedClientSession,
    description:
      "Creates a client session, with which a merchant's page shows card fields and gets one token. It accepts up to " +
      '10 submitted cards within 30 minutes and creates one token. Declines count against its address and ' +
      'store as those of checkout pages do.',
    args: {
      input: t.arg({ type: CreateClientSessionInput, required: true, description: 'What the fields may do.' }),
    },
    resolve: (_root, { input }, context) => createClientSession(context, input),
  }),
);

import type { Caller } from '../../auth/caller.ts';
import { builder } from '../../graph/builder.ts';

const CallerKind = builder.enumType('CallerKind', {
  description: 'The kind of a caller.',
  values: {
    session: { description: 'A signed-in user.' },
    partnerKey: { description: 'A partner key, which is an API key of a partner.' },
    subKey: { description: 'A sub-key, which is an API key of one account.' },
  } as const,
});

const Me = builder.objectRef<Exclude<Caller, { kind: 'anonymous' }>>('Me').implement({
  description: 'The caller of the request.',
  fields: (t) => ({
    kind: t.field({ type: CallerKind, description: 'The kind of the caller.', resolve: ({ kind }) => kind }),
    userId: t.string({
      nullable: true,
      description: 'Identifier of the user at the identity provider, prefix `user_`. Null for an API key.',
      resolve: (caller) => (caller.kind === 'session' ? caller.userId : null),
    }),
    email: t.string({
      nullable: true,
      description: 'E-mail address of the user. Null for an API key.',
      resolve: (caller) => (caller.kind === 'session' ? caller.email : null),
    }),
    platformRoles: t.stringList({
      description: 'The roles of the user. Empty for an API key.',
      resolve: (caller) => (caller.kind === 'session' ? [...caller.platformRoles] : []),
    }),
    whitelabelOwnership: t.string({
      nullable: true,
      description:
        'Slug of the partner the user belongs to. Null for internal staff, for users who own a merchant, and for an ' +
        'API key.',
      resolve: (caller) => (caller.kind === 'session' ? caller.whitelabelOwnership : null),
    }),
    impersonatorId: t.string({
      nullable: true,
      description: 'Identifier of the user who impersonates this user. Null if the session is not impersonated.',
      resolve: (caller) => (caller.kind === 'session' ? caller.impersonatorId : null),
    }),
    keyId: t.string({
      nullable: true,
      description: 'Identifier of the API key, prefix `ak_`. Null for a user.',
      resolve: (caller) => (caller.kind === 'session' ? null : caller.keyId),
    }),
    partnerId: t.string({
      nullable: true,
      description: 'Identifier of the partner of the API key, prefix `par_`. Null for a user.',
      resolve: (caller) => (caller.kind === 'session' ? null : caller.partnerId),
    }),
  }),
});

builder.queryFields((t) => ({
  me: t.withAuth({ known: true }).field({
    type: Me,
    description: 'Returns the caller. Open to every session and every API key.',
    resolve: (_root, _args, { caller }) => {
      if (caller.kind === 'anonymous') throw new Error('The scope of `me` admitted an anonymous caller.');
      return caller;
    },
  }),
}));

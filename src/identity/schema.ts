import type { Caller } from '../auth/caller.ts';
import { builder } from '../graph/builder.ts';

const CallerKind = builder.enumType('CallerKind', {
  description: 'Who asks: a person who is signed in, or an API key.',
  values: ['session', 'partnerKey', 'subKey'],
});

const Me = builder.objectRef<Exclude<Caller, { kind: 'anonymous' }>>('Me').implement({
  description: 'The caller, as the platform sees them at this moment.',
  fields: (t) => ({
    kind: t.field({ type: CallerKind, description: 'A session or a kind of key.', resolve: ({ kind }) => kind }),
    userId: t.string({
      nullable: true,
      description: "The identity provider's id of the person; null for a key.",
      resolve: (caller) => (caller.kind === 'session' ? caller.userId : null),
    }),
    email: t.string({
      nullable: true,
      description: "The person's e-mail; null for a key.",
      resolve: (caller) => (caller.kind === 'session' ? caller.email : null),
    }),
    platformRoles: t.stringList({
      description: "The person's roles; none for a key.",
      resolve: (caller) => (caller.kind === 'session' ? [...caller.platformRoles] : []),
    }),
    whitelabelOwnership: t.string({
      nullable: true,
      description: 'Slug of the partner the person belongs to; null for internal staff, for merchants and for a key.',
      resolve: (caller) => (caller.kind === 'session' ? caller.whitelabelOwnership : null),
    }),
    impersonatorId: t.string({
      nullable: true,
      description: "Who looks through the person's eyes, where somebody does.",
      resolve: (caller) => (caller.kind === 'session' ? caller.impersonatorId : null),
    }),
    keyId: t.string({
      nullable: true,
      description: 'The key, prefix `ak_`; null for a person.',
      resolve: (caller) => (caller.kind === 'session' ? null : caller.keyId),
    }),
    partnerId: t.string({
      nullable: true,
      description: 'The partner a key belongs to, prefix `par_`; null for a person.',
      resolve: (caller) => (caller.kind === 'session' ? null : caller.partnerId),
    }),
  }),
});

builder.queryFields((t) => ({
  me: t.withAuth({ known: true }).field({
    type: Me,
    description: 'Who the caller is. Open to every session and every key.',
    resolve: (_root, _args, { caller }) => {
      if (caller.kind === 'anonymous') throw new Error('The scope of `me` let nobody in particular in.');
      return caller;
    },
  }),
}));

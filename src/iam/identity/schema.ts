import type { Caller } from '../../auth/caller.ts';
import { builder } from '../../graph/builder.ts';
import { reason } from '../../graph/by-caller.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import type { ListedSession } from '../../ports/identity-provider.ts';
import { endOtherSessions, endOwnSession, endUserSessions, listOwnSessions, listUserSessions } from './sessions.ts';

const CallerKind = builder.enumType('CallerKind', {
  description: 'The kind of a caller.',
  values: {
    session: { description: 'A signed-in user.' },
    partnerKey: { description: 'A partner key, which is an API key of a partner.' },
    subKey: { description: 'A sub-key, which is an API key of one account.' },
  } as const,
});

const described = {
  id: 'Identifier of the session at the identity provider, prefix `sess_`.',
  userId: 'Identifier of the user at the identity provider, prefix `user_`.',
} as const;

const MySession = builder.objectRef<ListedSession>('MySession').implement({
  description: 'A session of a user: one sign-in, in one browser.',
  fields: (t) => ({
    id: t.exposeID('id', { description: described.id }),
    isPresent: t.boolean({
      description: 'Whether it is the session of this request.',
      resolve: ({ id }, _args, { caller }) => caller.kind === 'session' && caller.sessionId === id,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the sign-in.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time at which the session ends by itself.' }),
    ipAddress: t.exposeString('ipAddress', {
      nullable: true,
      description: 'Address of the client at sign-in. Null if it is not known.',
    }),
    userAgent: t.exposeString('userAgent', {
      nullable: true,
      description: 'Browser or program, as it named itself at sign-in. Null if it did not.',
    }),
  }),
});

const Me = builder.objectRef<Exclude<Caller, { kind: 'anonymous' }>>('Me').implement({
  description: 'The caller of the request.',
  fields: (t) => ({
    kind: t.field({ type: CallerKind, description: 'The kind of the caller.', resolve: ({ kind }) => kind }),
    userId: t.id({
      nullable: true,
      description: 'Identifier of the user at the identity provider, prefix `user_`. Null for an API key.',
      resolve: (caller) => (caller.kind === 'session' ? caller.userId : null),
    }),
    email: t.string({
      nullable: true,
      description: 'Email address of the user. Null for an API key.',
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
    impersonatorId: t.id({
      nullable: true,
      description: 'Identifier of the user who impersonates this user. Null if the session is not impersonated.',
      resolve: (caller) => (caller.kind === 'session' ? caller.impersonatorId : null),
    }),
    hasSecondFactor: t.boolean({
      nullable: true,
      description:
        'Whether the user signs in with a second factor. Null for an API key, and where the identity provider demands ' +
        'and shows it itself.',
      resolve: (caller) => (caller.kind === 'session' ? (caller.hasSecondFactor ?? null) : null),
    }),
    keyId: t.id({
      nullable: true,
      description: 'Identifier of the API key, prefix `ak_`. Null for a user.',
      resolve: (caller) => (caller.kind === 'session' ? null : caller.keyId),
    }),
    partnerId: t.id({
      nullable: true,
      description: 'Identifier of the partner of the API key, prefix `par_`. Null for a user.',
      resolve: (caller) => (caller.kind === 'session' ? null : caller.tenant.partnerId),
    }),
    sessions: t.withAuth({ session: true }).field({
      type: [MySession],
      nullable: true,
      description: 'The sessions of the user that have not ended, the newest first. Null with an error for an API key.',
      resolve: (_caller, _args, context) => listOwnSessions(context),
    }),
  }),
});

const EndedSession = builder.objectRef<{ id: string }>('EndedSession').implement({
  description: 'A session that has ended.',
  fields: (t) => ({ id: t.exposeID('id', { description: described.id }) }),
});

const EndedSessions = builder.objectRef<{ endedCount: number }>('EndedSessions').implement({
  description: 'Sessions that have ended.',
  fields: (t) => ({ endedCount: t.exposeInt('endedCount', { description: 'Number of sessions that were ended.' }) }),
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
  userSessions: t.withAuth({ hub: true }).field({
    type: [MySession],
    description: 'Lists the sessions of a user that have not ended, the newest first. 404 if there is no such user.',
    args: { userId: t.arg.id({ required: true, description: described.userId }) },
    resolve: (_root, { userId }, context) => listUserSessions(context, userId),
  }),
}));

builder.mutationFields((t) => ({
  endMySession: t.withAuth({ session: true }).field({
    type: EndedSession,
    description:
      'Ends a session of the caller; its tokens are refused immediately. 404 for any other session. The session of the ' +
      'request may be ended too.',
    args: { id: t.arg.id({ required: true, description: described.id }) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { id }, context) => endOwnSession(context, id),
  }),
  endMyOtherSessions: t.withAuth({ session: true }).field({
    type: EndedSessions,
    description: 'Ends every session of the caller but that of the request; their tokens are refused immediately.',
    storedAnswer: storesWholeAnswer,
    resolve: (_root, _args, context) => endOtherSessions(context),
  }),
  endUserSessions: t.withAuth({ superadmin: true }).field({
    type: EndedSessions,
    description:
      'Ends every session of another user; their tokens are refused immediately. The user can sign in again. 400 for ' +
      'oneself, 404 if there is no such user. The change is recorded in the audit log.',
    args: { userId: t.arg.id({ required: true, description: described.userId }), reason: t.arg(reason) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => endUserSessions(context, args),
  }),
}));

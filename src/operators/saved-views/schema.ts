import { builder } from '../../graph/builder.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { deleteView, ownViewsMax, readSavedViews, type SavedViewRow, saveView, shownViewsMax } from './saved-views.ts';

const SavedView = builder.objectRef<SavedViewRow>('SavedView').implement({
  description: 'A view of a list of the console: its filters, order and columns, under a name.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the view, prefix `view_`.' }),
    list: t.expose('list', {
      type: 'Handle',
      description: 'The list, as in its path in the console, for example `payments`.',
    }),
    name: t.expose('name', {
      type: 'Label',
      description: 'Name of the view, unique among those of its owner for the list.',
    }),
    query: t.expose('query', {
      type: 'ShortText',
      description: 'The filters, the order and the columns as the query string of the list, without its page.',
    }),
    isShared: t.exposeBoolean('isShared', {
      description:
        'Whether others see it: internal staff if the owner is one, otherwise the people of the same partner.',
    }),
    isOwn: t.boolean({
      description: 'Whether the caller is the owner, who alone can change or delete it.',
      resolve: ({ ownerId }, _args, { caller }) => caller.kind === 'session' && caller.userId === ownerId,
    }),
    ownerEmail: t.string({ description: 'Email address of the owner.', resolve: ({ owner }) => owner.email }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

builder.queryField('savedViews', (t) =>
  t.withAuth({ directory: true }).field({
    type: [SavedView],
    description:
      'Lists the views of a list of the console that the caller has saved or that are shared with the caller, by name, ' +
      `at most ${shownViewsMax}.`,
    args: { list: t.arg({ type: 'Handle', required: true, description: 'The list, for example `payments`.' }) },
    resolve: (_root, { list }, context) => readSavedViews(context, list),
  }),
);

builder.mutationField('saveView', (t) =>
  t.withAuth({ directory: true }).field({
    type: SavedView,
    description:
      'Saves a view of a list of the console. A view of the caller with the same list and name is replaced. A user has ' +
      `at most ${ownViewsMax} views; one more is 409. The change is recorded in the audit log.`,
    args: {
      list: t.arg({ type: 'Handle', required: true, description: 'The list, for example `payments`.' }),
      name: t.arg({ type: 'Label', required: true, description: 'Name of the view, 1 to 100 characters.' }),
      query: t.arg({
        type: 'ShortText',
        required: true,
        description: 'The query string of the list without its page, at most 500 characters. Empty: no filters.',
      }),
      isShared: t.arg.boolean({
        defaultValue: false,
        required: true,
        description: 'Whether internal staff, or the people of the partner of the caller, see it.',
      }),
    },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => saveView(context, args),
  }),
);

builder.mutationField('deleteView', (t) =>
  t.withAuth({ directory: true }).field({
    type: SavedView,
    description:
      'Deletes a view of the caller. 404 if there is none with the identifier, or it belongs to another user. The ' +
      'change is recorded in the audit log.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the view, prefix `view_`.' }) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { id }, context) => deleteView(context, id),
  }),
);

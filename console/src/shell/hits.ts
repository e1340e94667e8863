import { graphql, type ResultOf } from '../graph/graphql.ts';

export const findDocument = graphql(`
  query Find($text: Name!) {
    operatorFind(text: $text) { kind id label belongsTo mode platformAccountId createdAt }
  }
`);

export type Hit = NonNullable<ResultOf<typeof findDocument>['operatorFind']>[number];

/** Where a hit is shown, below the mode. */
export function pathOfHit({ kind, id, label, belongsTo, platformAccountId }: Hit): string {
  switch (kind) {
    case 'payment':
      return `/payments/${id}`;
    case 'transaction':
    case 'refund':
      return `/payments/${belongsTo}`;
    case 'dispute':
      return `/payments/${belongsTo}/disputes/${id}`;
    case 'order':
      return `/orders/${id}`;
    case 'subscription':
      return `/subscriptions/${id}`;
    case 'customer':
      return `/customers/${id}`;
    case 'paymentInstrument':
      return `/customers/${belongsTo}`;
    case 'webhookEndpoint':
      return `/endpoints/${id}`;
    case 'webhookDelivery':
      return `/endpoints/${belongsTo}`;
    case 'event':
      return `/events/${id}`;
    case 'auditRow':
      return `/audit?target=${belongsTo}`;
    case 'partner':
      return `/partners/${id}`;
    case 'user':
      return `/users?q=${encodeURIComponent(label)}`;
    case 'apiKey':
      return platformAccountId === null ? '/api-keys' : `/api-keys?platformAccountId=${platformAccountId}`;
    case 'account':
    case 'store':
    case 'processor':
    case 'funnel':
      return `/accounts/${platformAccountId}`;
  }
}

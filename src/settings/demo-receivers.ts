/** What a receiver of the demo answers: 200, 500, 200 after the timeout of an attempt, or 410. */
export const receiverKinds = ['accepts', 'fails', 'late', 'gone'] as const;
export type ReceiverKind = (typeof receiverKinds)[number];

export const receiversPath = '/test/receivers/';

/** The URL of a receiver of the demo's webhooks, which the server itself has while only this machine can reach it. */
export function receiverUrl(publicUrl: string, kind: ReceiverKind): string {
  return `${publicUrl}${receiversPath}${kind}`;
}

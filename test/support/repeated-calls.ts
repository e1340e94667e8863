import type { SignedIn } from '../iam/people.ts';
import type { Client } from './client.ts';
import { shownEndpoints } from './example-story.ts';
import { documentOf, rootFields } from './operations.ts';
import type { SeededAccount, SeededPartner } from './seed.ts';
import { priceOf } from './subscriptions.ts';

/** A mutation that was called with an Idempotency-Key, and can be called again. */
export interface MadeCall {
  /** The root field. */
  field: string;
  key: string;
  answer: unknown;
  /** The call again, with its key unless another is given. */
  again(key?: string): Promise<Outcome>;
}

/** The answer, or the reason or code of the error. */
type Outcome = { answer: unknown } | { refused: string };

const secrets = (_name: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'secret' in value ? { ...value, secret: null } : value;

/** An answer as a repeat of its call gets it: without secrets. */
export function repeated(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer, secrets));
}

let keys = 0;

/** A client for the story of the examples, which notes each call of a mutation and sends a key with it. */
export function notingClient(api: Client, made: MadeCall[]): Client {
  return {
    ...api,
    async ok(path, body, options = {}) {
      const name = options.headers?.['Request-Id']?.replace(/^req_/, '') ?? '';
      const endpoint = shownEndpoints.get(name)?.endpoint;
      if (!endpoint?.isMutation) return api.ok(path, body, options);
      const key = `story-${++keys}`;
      const send = (own: string) =>
        api.call(path, body, { ...options, headers: { ...options.headers, 'Idempotency-Key': own } });
      const { status, body: answer } = await send(key);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
      made.push({
        field: endpoint.rootField,
        key,
        answer,
        async again(own = key) {
          const { status, body: answer } = await send(own);
          return status === 200
            ? { answer }
            : { refused: answer.data?.reason ?? answer.issues?.[0]?.reason ?? answer.code };
        },
      });
      return answer;
    },
  };
}

/** Calls a mutation with a key, in the name of a person, and returns its answer. */
// Answers differ by field. A caller reads the fields it names.
export type Act = (field: string, variables: Record<string, unknown>, name?: string) => Promise<Record<string, any>>;

/** Calls mutations in the name of people, by the names of `who`, and notes each call. */
export function actingPeople(who: Record<string, SignedIn>, made: MadeCall[]): Act {
  return async (field, variables, name = 'superadmin') => {
    const root = rootFields.find(({ kind, field: { name } }) => kind === 'mutation' && name === field);
    const person = who[name];
    if (!root || !person) throw new Error(`There is no ${field} or no ${name}.`);
    const takesReason = root.field.args.some(({ name }) => name === 'reason');
    const key = `person-${++keys}`;
    const again = async (own = key): Promise<Outcome> => {
      const sent = { ...(takesReason && { reason: 'asked by them' }), ...variables };
      const { data, errors } = await person.graphql(documentOf(root, 1), sent, { 'Idempotency-Key': own });
      const extensions = errors?.[0].extensions;
      return errors ? { refused: extensions.data?.reason ?? extensions.code } : { answer: data[field] };
    };
    const first = await again();
    if ('refused' in first) throw new Error(`${field}: ${first.refused}`);
    made.push({ field, key, answer: first.answer, again });
    return first.answer as Record<string, any>; // answers differ by field
  };
}

/** Calls each mutation that people make for an account, with a key, once. */
export async function runPeoplesCalls(
  who: Record<string, SignedIn>,
  partner: SeededPartner,
  account: SeededAccount,
  made: MadeCall[],
): Promise<void> {
  const act = actingPeople(who, made);
  const charge = async (mode = 'purchase', amount = 1000) =>
    (await account.charge('tok_visa', { mode, amount })).payment['id'];
  const ask = async () => {
    const requested = await act('refundPayment', { input: { paymentId: await charge('purchase', 200_000) } });
    return { requestId: requested['id'] };
  };
  const { customerId } = await account.instrument();
  const priceId = await priceOf(account);
  const { id: subscriptionId } = await account.api.ok('/subscriptions/create', { customerId, priceId });
  const { id: webhookId } = await account.api.ok('/webhooks', {
    url: 'https://93.184.216.34/hooks',
    eventTypes: ['payment/succeeded'],
  });
  const { id: keyId } = await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'to revoke' });
  const { id: processorId } = (await account.api.ok('/processors/list', {})).items[0];

  await act('voidPayment', { paymentId: await charge('auth') });
  await act('capturePayment', { input: { paymentId: await charge('auth') } });
  await act('refundPayment', { input: { paymentId: await charge() } });
  await who['superadmin']?.graphql(
    'mutation { setRefundLimit(mode: test, currency: "USD", amount: 100000, reason: "so") { amount } }',
  );
  await act('approveRefundRequest', await ask(), 'hubadmin');
  await act('rejectRefundRequest', await ask(), 'hubadmin');
  await act('withdrawRefundRequest', await ask());
  await act('pauseSubscription', { input: { subscriptionId } });
  await act('resumeSubscription', { subscriptionId });
  await act('cancelSubscription', { input: { subscriptionId } });
  const { id: deliveryId } = await act('testWebhookEndpoint', { webhookId });
  await act('redeliverWebhook', { deliveryId });
  await act('redeliverWebhooksSince', { webhookId, since: '2026-01-01T00:00:00.000Z' });
  await act('rotateWebhookSecret', { webhookId });
  await act('updateWebhookEndpoint', { webhookId, input: { enabled: false } });
  await account.api.ok(`/webhooks/${webhookId}`, undefined, { method: 'DELETE' });
  await act('revokeApiKey', { keyId });
  await act('updateProcessor', { processorId, input: { options: { declineRate: 0.1 } } });
  const now = '2026-01-31T10:00:00.000Z';
  const { id: blockRuleId } = await act('createBlockRule', {
    platformAccountId: account.id,
    input: { name: 'Stolen', email: 'thief@example.com' },
  });
  await act('deleteBlockRule', { blockRuleId });
  const { id: testClockId } = await act('createTestClock', {
    platformAccountId: account.id,
    input: { name: 'A clock', now },
  });
  await act('advanceTestClock', { testClockId, to: '2026-02-01T10:00:00.000Z' });
}

import { expect, test } from 'vitest';
import { peopleOf } from '../iam/identity/people.ts';
import { anonymousRoutes } from '../support/anonymous-routes.ts';
import { usePlatform } from '../support/platform.ts';
import { rawAnswer } from '../support/raw-answer.ts';

const platform = await usePlatform({ identityProvider: 'embedded', env: { TRUST_PROXY: '1' } });
const { cookie } = await peopleOf(platform).enroll();
const id = '0000000000000000000000';

/** What takes no form of a page: GraphQL, the demo's receivers, notices of providers, and the token endpoint, where OAuth has them ignored. */
const notForms = [
  '/graphql',
  '/test/receivers/:kind',
  '/hooks/identity-provider',
  '/hooks/processors/:type',
  '/test/connect/token',
];
/** Its form is taken only with the state of an attempt: `test/attacks/connect-consent.test.ts`. */
const connectCallback = '/api/public/v1/processors/cardprocessor-connect/callback';
const forms = Object.entries(anonymousRoutes)
  .filter(([route]) => ![...notForms, connectCallback].includes(route))
  .flatMap(([, requested]) => requested.filter(({ method }) => method === 'POST'))
  // A link of its own, so that its limit is not used up by another test.
  .map(({ path }) => path.replace(id, id.replaceAll('0', '1')));
const own = { Origin: platform.url, Cookie: cookie };

test.each([
  'a/b',
  't=1,v1=',
  '',
  'text/event-stream',
  'application/json;q=0.5',
  'text/html;q=0.1, */*',
])('200 in JSON from POST /graphql for Accept: %s', async (Accept) => {
  const answer = await rawAnswer(`${platform.url}/graphql`, {
    method: 'POST',
    headers: { Accept, 'X-Forwarded-For': '203.0.113.2' },
    body: { query: '{ __typename }' },
  });
  expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([200, { data: { __typename: 'Query' } }]);
});

test.each(forms)('400 for an unknown field in the form of %s, which names it', async (path) => {
  const headers = { ...own, 'X-Forwarded-For': '203.0.113.3' };
  const { status, body } = await rawAnswer(platform.url + path, { method: 'POST', headers, body: { unheardOf: 1 } });
  expect([status, JSON.parse(body.toString()).data?.issues]).toEqual([
    400,
    expect.arrayContaining([{ path: 'unheardOf', message: expect.stringMatching(/^is not a known field/) }]),
  ]);
});

test('400 for a misspelled field of a form names the nearest known one, in JSON and from a browser', async () => {
  const send = (path: string, type: string, body: string) =>
    fetch(platform.url + path, { method: 'POST', headers: { ...own, 'Content-Type': type }, body });
  const asJson = await send('/idp/sign-in/email', 'application/json', '{"emial":"a@example.com","password":"x"}');
  expect([asJson.status, (await asJson.json()).data.issues]).toEqual([
    400,
    [
      {
        path: 'emial',
        message: 'is not a known field (did you mean email?); known are email, password, redirect',
      },
    ],
  ]);
  for (const path of [`/test/3ds/threeds_${id}`, '/test/connect/authorize'])
    for (const body of ['outcome=approve&outCome=deny', 'outcome=deny&outcome=approve'])
      expect([body, (await send(path, 'application/x-www-form-urlencoded', body)).status]).toEqual([body, 400]);
});

test.each([
  ['next', { stepId: 'landing' }],
  [
    'pay',
    {
      stepId: 'checkout',
      attemptId: 'a',
      email: 'a@example.com',
      cardNumber: '4242424242424242',
      expMonth: 12,
      expYear: 2039,
      cvc: '123',
    },
  ],
  ['accept', { stepId: 'upsell', attemptId: 'a' }],
  ['decline', { stepId: 'upsell' }],
  ['continue', {}],
])('400 for an unknown field in the body of /checkout/sessions/…/%s, which names it and the known ones', async (act, fields) => {
  const path = `${platform.url}/checkout/sessions/${act}${id}/${act}`;
  const headers = { Origin: platform.url, 'X-Forwarded-For': '203.0.113.1' };
  expect((await rawAnswer(path, { method: 'POST', headers, body: fields })).status).not.toBe(400);
  const { status, body } = await rawAnswer(path, {
    method: 'POST',
    headers,
    body: { ...fields, stepName: 'x' },
  });
  expect(status).toBe(400);
  const { issues } = JSON.parse(body.toString()).data;
  expect(issues).toEqual([{ path: 'stepName', message: expect.stringMatching(/^is not a known field/) }]);
});

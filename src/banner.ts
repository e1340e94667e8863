import type { Config } from './runtime/config.ts';
import { type Demo, readDemo } from './runtime/demo-credentials.ts';

/** The message that is printed after a start: URLs, the credentials of the demo, and a command that charges a card. */
export function welcomeMessage(config: Config): string {
  const { publicUrl } = config;
  const demo = config.database.kind === 'embedded' ? readDemo(config) : undefined;
  const lines = [
    '',
    'The Partner Payments Platform is up.',
    `  GraphiQL       ${publicUrl}/graphql`,
    ...(config.identity.kind === 'embedded' ? [`  Sign in        ${publicUrl}/idp/sign-in`] : []),
    `  API reference  ${publicUrl}/api/public/v1/docs`,
    ...(config.mail.kind === 'kept' && !config.isProduction ? [`  Mail           ${publicUrl}/idp/mail`] : []),
    `  Health         ${publicUrl}/health/ready`,
    ...(demo?.plugin ? [`  Demo checkout  ${publicUrl}${demo.plugin.path}`] : []),
    ...(demo?.funnel ? [`  Demo funnel    ${publicUrl}${demo.funnel.path}`] : []),
    ...(demo ? demoLines(publicUrl, demo) : []),
    '',
    '',
  ];
  return lines.join('\n');
}

function demoLines(publicUrl: string, demo: Demo): string[] {
  const { test } = demo.accounts;
  const superadmin = demo.users.find(({ platformRoles }) => platformRoles.includes('superadmin'));
  const body = JSON.stringify({
    storeId: test.storeId,
    paymentInstrumentId: test.paymentInstrumentId,
    amount: 2500,
    currency: 'USD',
  });
  return [
    '',
    'Demo credentials (also in .platform/demo.json)',
    `  partner key, test  ${demo.partnerKeys.test}`,
    `  partner key, live  ${demo.partnerKeys.live}`,
    `  sub-key, test      ${test.subKey}`,
    `  sub-key, live      ${demo.accounts.live.subKey}`,
    ...(superadmin
      ? [`  superadmin         ${superadmin.email}  ${superadmin.password}  (sign in at ${publicUrl}/idp/sign-in)`]
      : []),
    '',
    'Charge a card:',
    `  curl ${publicUrl}/api/public/v1/payments/process -H 'Authorization: Bearer ${test.subKey}' -H ` +
      `'Content-Type: application/json' -d '${body}'`,
  ];
}

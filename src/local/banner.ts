import { isAbsolute, join, relative } from 'node:path';
import type { Config } from '../settings/config.ts';
import { chargeCommand, type Demo, readDemo } from '../settings/demo-credentials.ts';

/**
 * The message that is printed after a start: the addresses of enabled features, the credentials of the demo, and a
 * command that charges a card.
 */
export function welcomeMessage(config: Config): string {
  const { publicUrl } = config;
  const demo = config.database.kind === 'embedded' ? readDemo(config) : undefined;
  const lines = [
    '',
    'The Partner Payments Platform is running.',
    ...(config.sandbox ? ['  This is the sandbox: it has no live mode.'] : []),
    `  Home           ${publicUrl}/`,
    ...(config.graphiql ? [`  GraphiQL       ${publicUrl}/graphql`] : []),
    `  Sign in        ${publicUrl}/idp/sign-in`,
    `  Console        ${publicUrl}/console/`,
    ...(config.docs ? [`  Documentation  ${publicUrl}/docs/`] : []),
    `  API reference  ${publicUrl}/api/public/v1/docs`,
    ...(config.mail.kind === 'kept' && config.isLocal ? [`  Mail           ${publicUrl}/idp/mail`] : []),
    ...(config.isProduction || config.isLocal
      ? []
      : [
          '  This server is reachable from other machines: GraphiQL, mail and the demo keys are not shown to browsers.',
        ]),
    `  Health         ${publicUrl}/health/ready`,
    ...(demo?.funnel ? [`  Demo checkout  ${publicUrl}${demo.funnel.path}`] : []),
    ...(demo ? demoLines(publicUrl, demo, shortPath(join(config.platformDir, 'demo.json'))) : []),
    '',
    '',
  ];
  return lines.join('\n');
}

/** Relative to the working directory if it is below it. */
function shortPath(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') || isAbsolute(below) ? path : below;
}

function demoLines(publicUrl: string, demo: Demo, demoFile: string): string[] {
  const { test } = demo.accounts;
  const superadmin = demo.users.find(({ platformRoles }) => platformRoles.includes('superadmin'));
  return [
    '',
    `Demo credentials (also in ${demoFile})`,
    `  partner key, test  ${demo.partnerKeys.test}`,
    ...(demo.partnerKeys.live === null ? [] : [`  partner key, live  ${demo.partnerKeys.live}`]),
    `  sub-key, test      ${test.subKey}`,
    ...(demo.accounts.live === null ? [] : [`  sub-key, live      ${demo.accounts.live.subKey}`]),
    ...(superadmin
      ? [`  superadmin         ${superadmin.email}  ${superadmin.password}  (sign in at ${publicUrl}/idp/sign-in)`]
      : []),
    '',
    'Charge a card:',
    `  ${chargeCommand(publicUrl, demo)}`,
  ];
}

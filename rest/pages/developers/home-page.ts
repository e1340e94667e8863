import { type GraphQLSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import { escapeHtml } from '../../../src/lib/text.ts';
import type { Config } from '../../../src/settings/config.ts';
import { chargeCommand, type Demo } from '../../../src/settings/demo-credentials.ts';
import { roleOf, type visitorOf } from '../frame/visitor.ts';
import type { Address } from './home.ts';

/** The kind of this server. */
export function homeTitle({ sandbox, isProduction }: Config): string {
  return sandbox ? 'Sandbox' : isProduction ? 'Home' : 'Development server';
}

export interface HomeView {
  config: Config;
  addresses: readonly Address[];
  visitor: Awaited<ReturnType<typeof visitorOf>>;
  /** Absent on a server that other machines can reach, and on a database without the demo. */
  demo: Demo | undefined;
}

/** Links are relative, so that the page works under any host name and prefix. */
export function homePage(view: HomeView): string {
  const { config, demo } = view;
  return `${whoSection(view)}
<section><h2>Addresses</h2>
<ul>
${view.addresses
  .filter(({ key }) => isLink(view, key))
  .map(addressItem)
  .join('\n')}
${demo?.funnel ? addressItem(demoCheckout(demo.funnel.path)) : ''}
</ul></section>
${demo ? demoSection(config, demo) : ''}
<section><h2>Configuration</h2>
<dl>
${whatIsOn(config)
  .map(([term, text]) => `<dt>${escapeHtml(term)}</dt><dd>${escapeHtml(text)}</dd>`)
  .join('\n')}
</dl></section>`;
}

/**
 * Whether the address is shown as a link: not the endpoint without GraphiQL, which browsers cannot open, nor sign-in,
 * which is linked above.
 */
function isLink({ config }: HomeView, key: string): boolean {
  return key !== 'signIn' && (key !== 'graphql' || config.graphiql);
}

function addressItem({ name, path, about }: Pick<Address, 'name' | 'path' | 'about'>): string {
  return `<li><a href="${escapeHtml(path.slice(1))}">${escapeHtml(name)}</a><span>${escapeHtml(about)}</span></li>`;
}

function demoCheckout(path: string): Pick<Address, 'name' | 'path' | 'about'> {
  return {
    name: 'Demo checkout',
    path,
    about: 'a funnel that takes test cards, such as 4242 4242 4242 4242',
  };
}

function whoSection({ visitor }: HomeView): string {
  if (visitor === 'mustEnroll')
    return `<section class="who"><div><strong>Your role requires two-factor authentication.</strong><p>Set it up to continue.</p></div>
<a class="button" href="idp/account">Set up</a></section>`;
  if (visitor.kind === 'anonymous')
    return `<section class="who"><div><strong>You are not signed in.</strong>
<p class="soft">API keys need no sign-in.</p></div><a class="button" href="idp/sign-in?redirect=%2F">Sign in</a></section>`;
  return `<section class="who"><div>Signed in as <strong>${escapeHtml(visitor.email)}</strong>
<p class="soft">${escapeHtml(roleOf(visitor))}</p></div>
${ownAccount}</section>`;
}

const ownAccount = `<div class="acts"><a class="button plain" href="idp/account">Your account</a>
<form data-post="idp/sign-out" data-then="./"><button class="plain">Sign out</button><p role="alert"></p></form></div>`;

function whatIsOn({ sandbox, sandboxUrl, isLocal, identity, mail, graphiql, publicUrl }: Config): [string, string][] {
  return [
    ['Address', publicUrl],
    ['Modes', sandbox ? 'test' : 'test and live'],
    ...(sandboxUrl === null ? [] : [['Sandbox', sandboxUrl] satisfies [string, string]]),
    ['Sign-in', identity.kind === 'embedded' ? 'here, with email and password' : 'at the hosted identity provider'],
    ['Email', mail.kind === 'smtp' ? 'sent' : isLocal ? 'stored and shown here' : 'stored and not sent'],
    ['GraphiQL', graphiql ? 'on' : 'off; the GraphQL endpoint is /graphql'],
  ];
}

function demoSection(config: Config, demo: Demo): string {
  const keys: [string, string | undefined][] = [
    ['Partner key, test', demo.partnerKeys.test],
    ['Partner key, live', demo.partnerKeys.live ?? undefined],
    ['Sub-key, test', demo.accounts.test.subKey],
    ['Sub-key, live', demo.accounts.live?.subKey],
  ];
  const known = keys.flatMap(([name, key]) =>
    key ? [`<dt>${name}</dt><dd><code>${escapeHtml(key)}</code></dd>`] : [],
  );
  const people = demo.users.map(
    ({ email, password, platformRoles, whitelabelOwnership: at }) =>
      `<dt>${escapeHtml(platformRoles.join(', ') || 'no role')}${at === null ? '' : ` at ${escapeHtml(at)}`}</dt>
<dd>${escapeHtml(email)}<br><code>${escapeHtml(password)}</code></dd>`,
  );
  return `<section><h2>Demo credentials</h2>
<dl>
${known.join('\n')}
</dl>
<pre>${escapeHtml(chargeCommand(config.publicUrl, demo))}</pre></section>
${people.length === 0 ? '' : `<section><h2>Demo users</h2>\n<dl>\n${people.join('\n')}\n</dl></section>`}`;
}

/** The accepted values of each scalar of the graph, at the address in its `@specifiedBy`. */
export function scalarsPage(schema: GraphQLSchema): string {
  const scalars = Object.values(schema.getTypeMap())
    .filter(isScalarType)
    .filter((type) => !isSpecifiedScalarType(type))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  const sections = scalars.map(
    ({ name, description, extensions }) => `<section id="${name}"><h2>${name}</h2>
<p>${escapeHtml(description ?? '')}</p>
<pre>${escapeHtml(JSON.stringify(extensions['jsonSchema'] ?? {}, null, 2))}</pre></section>`,
  );
  return `<p>Each scalar with its bounds as JSON Schema. Any other value is 400, and the error names the field.</p>
${sections.join('\n')}`;
}

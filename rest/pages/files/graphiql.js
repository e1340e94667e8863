/** Starts GraphiQL with what the page says of the visitor. */
const settings = JSON.parse(document.getElementById('settings').textContent);
const stored = storageOf(`graphiql of ${settings.owner}: `);
const asks = document.getElementById('asks');

const opening = [import(new URL(settings.bundle, document.baseURI)), schemaOf(settings.schema), tabsToOpen()];
const [{ GraphiQL, buildClientSchema, createElement, createRoot }, schema, state] = await Promise.all(opening);

// GraphiQL reads its tabs from the storage, and the texts of the selected one from entries of their own.
const selected = state.tabs[state.activeTabIndex];
stored.setItem('graphiql:tabState', JSON.stringify(state));
for (const part of ['query', 'variables', 'headers']) stored.setItem(`graphiql:${part}`, selected[part] ?? '');
say(state);
const root = document.getElementById('graphiql');
new MutationObserver(nameFields).observe(root, { childList: true, subtree: true });
createRoot(root).render(
  createElement(GraphiQL, {
    fetcher,
    schema: schema && buildClientSchema(schema),
    storage: stored,
    shouldPersistHeaders: true,
    defaultEditorToolsVisibility: selected.variables || !selected.headers ? 'variables' : 'headers',
    // A new tab has no key.
    defaultQuery: '# A new tab sends no API key. Ctrl-Space completes, Ctrl-Enter runs.\n',
    onTabChange: say,
  }),
);

/** The editors leave their fields without names: they get those of their sections. */
function nameFields() {
  for (const field of root.querySelectorAll('textarea:not([aria-label])'))
    field.setAttribute('aria-label', field.closest('[aria-label]').getAttribute('aria-label'));
}

async function fetcher(operation, { headers = {} } = {}) {
  // Right after a change of tabs GraphiQL still names the operation of the other tab.
  const names = operationsOf(operation.query);
  const operationName = names.includes(operation.operationName) ? operation.operationName : names[0];
  const response = await fetch('graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: JSON.stringify({ ...operation, operationName }),
  });
  return response.json();
}

/** The schema as a file: it depends on no key and no session. */
async function schemaOf(url) {
  return url === null ? null : (await (await fetch(url)).json()).data;
}

/** The tabs this browser has kept, or those for the visitor; and one for an operation in the address. */
async function tabsToOpen() {
  let kept = null;
  try {
    kept = JSON.parse(stored.getItem('graphiql:tabState'));
  } catch {
    // Not of GraphiQL: replaced.
  }
  const state = kept?.tabs?.[kept.activeTabIndex] ? kept : { activeTabIndex: 0, tabs: settings.tabs.map(tabOf) };
  await dropStaleKeys(state.tabs);
  const address = new URLSearchParams(location.search);
  const [query, variables] = [address.get('query'), address.get('variables')];
  if (query !== null) state.activeTabIndex = state.tabs.push(tabOf({ query, variables })) - 1;
  return state;
}

function tabOf({ query, variables = null, headers = null }) {
  const operationName = operationsOf(query)[0] ?? null;
  return {
    id: crypto.randomUUID?.() ?? String(Math.random()),
    title: operationName ?? '<untitled>',
    query,
    variables,
    headers,
    operationName,
    response: null,
  };
}

/** The names of the operations of a document. */
function operationsOf(query) {
  return [...query.replaceAll(/#.*/g, '').matchAll(/\b(?:query|mutation)\s+(\w+)/g)].map(([, name]) => name);
}

/** Removes API keys that the server refuses, such as those of a database that was deleted, and says so. */
async function dropStaleKeys(tabs) {
  const keys = new Set(tabs.map(authorizationOf).filter((key) => key && key !== `Bearer ${settings.demoKey}`));
  // A key of a demo that is no longer there was never entered by anybody.
  const stale = new Set();
  await Promise.all([...keys].map(async (key) => (await isRefused(key)) && stale.add(key)));
  if (stale.size === 0) return;
  for (const tab of tabs) {
    if (!stale.has(authorizationOf(tab))) continue;
    const fresh = settings.tabs.find(({ query }) => query === tab.query);
    Object.assign(tab, fresh ? tabOf(fresh) : { headers: withoutAuthorization(tab.headers) });
  }
  const notice = document.getElementById('notice');
  notice.textContent = 'An API key stored in this browser is not valid here. It was removed from the tabs.';
  notice.hidden = false;
}

async function isRefused(authorization) {
  try {
    const body = JSON.stringify({ query: '{ me { kind } }' });
    const headers = { 'Content-Type': 'application/json', Authorization: authorization };
    return (await fetch('graphql', { method: 'POST', headers, body })).status === 401;
  } catch {
    // Not a value of a header, or no answer.
    return false;
  }
}

function headersOf({ headers }) {
  try {
    return JSON.parse(headers || '{}') ?? {};
  } catch {
    return {};
  }
}

function authorizationOf(tab) {
  const found = Object.entries(headersOf(tab)).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  return typeof found === 'string' && found !== 'Bearer <API_KEY>' ? found : undefined;
}

function withoutAuthorization(headers) {
  const others = Object.entries(headersOf({ headers })).filter(([name]) => name.toLowerCase() !== 'authorization');
  return JSON.stringify(Object.fromEntries(others), null, 2);
}

/** Says as whom the selected tab asks, and in which mode. */
function say({ tabs, activeTabIndex }) {
  const key = authorizationOf(tabs[activeTabIndex] ?? {})?.replace(/^Bearer +/i, '');
  const [, kind, mode] = /^tp_sk_(partner_)?(test|live)_/.exec(key ?? '') ?? [];
  if (key === undefined)
    asks.textContent = settings.isPerson
      ? 'This tab sends requests as you. The operation names the mode.'
      : 'This tab sends no API key.';
  else
    asks.textContent = `This tab sends ${key === settings.demoKey ? "the demo's" : 'a'} ${
      mode === undefined ? 'credential of its own' : `${kind ? 'partner key' : 'sub-key'}, ${mode} mode`
    }.`;
}

/** The part of the browser's storage that belongs to one visitor. */
function storageOf(prefix) {
  const names = () => Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  return {
    getItem: (name) => localStorage.getItem(prefix + name),
    setItem: (name, value) => localStorage.setItem(prefix + name, value),
    removeItem: (name) => localStorage.removeItem(prefix + name),
    clear: () => names().forEach((name) => localStorage.removeItem(name)),
    get length() {
      return names().length;
    },
  };
}

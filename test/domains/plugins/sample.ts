import type { Answer, Client } from '../../support/client.ts';

export const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['color'],
  properties: {
    color: { type: 'string', pattern: '^#[0-9a-f]{6}$' },
    title: { type: 'string', maxLength: 40 },
    steps: { type: 'array', items: { type: 'object', properties: { label: { type: 'string' } } } },
  },
  additionalProperties: false,
};
export const presets = { default: { color: '#112233', title: 'Plain' }, dark: { color: '#000000' } };
const html =
  '<!doctype html><html><head><meta charset="utf-8"><link rel="stylesheet" href="app.css"><script ' +
  'src="./app.js" defer></script></head><body><p id="out"></p></body></html>';

export function asset(
  path: string,
  content: string | Buffer,
  contentType?: string,
): { path: string; content: string; contentType?: string } {
  return { path, content: Buffer.from(content).toString('base64'), ...(contentType && { contentType }) };
}

/** A valid deploy request. */
export function plugin({
  manifest,
  ...more
}: {
  manifest?: Record<string, unknown>;
  [field: string]: unknown;
} = {}): Record<string, unknown> {
  return {
    manifest: {
      pluginId: 'sample',
      name: 'Sample',
      version: '1.0.0',
      pages: [{ path: '/checkout', name: 'Checkout', isDefault: true }, { path: '/thanks' }],
      configuration: { schema, uiSchema: { color: { widget: 'color' } } },
      ...manifest,
    },
    inlineAssets: [asset('index.html', html), asset('app.js', 'document.title = "x"'), asset('app.css', 'p{}')],
    presets,
    ...more,
  };
}

/** Calls a path below /plugins/v2. */
export function pluginsOf(api: Client) {
  const at = (path: string): string => `/plugins/v2${path}`;
  return {
    deploy: (more?: Parameters<typeof plugin>[0], headers: Record<string, string> = {}): Promise<Answer> =>
      api.call(at('/deploy'), plugin(more), { headers }),
    call: (path: string, body?: unknown, options?: Parameters<Client['call']>[2]): Promise<Answer> =>
      api.call(at(path), body, options),
    ok: (path: string, body?: unknown, options?: Parameters<Client['call']>[2]) => api.ok(at(path), body, options),
    remove: (path: string): Promise<Answer> => api.call(at(path), undefined, { method: 'DELETE' }),
  };
}

export type Plugins = ReturnType<typeof pluginsOf>;

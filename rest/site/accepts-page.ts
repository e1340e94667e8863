import type { IncomingMessage } from 'node:http';

/**
 * Whether a browser opens the address or sends a form to it: it names `text/html`, and prefers it to JSON. Scripts,
 * also those of pages, send another Accept header, or `*` as its value.
 */
export function acceptsPage({ headers: { accept = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
  const weights = new Map(accept.split(',').map(weighed));
  const html = weights.get('text/html') ?? 0;
  return html > 0 && html >= (weights.get('application/json') ?? 0);
}

function weighed(part: string): [type: string, weight: number] {
  const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const weight = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1);
  return [type, Number.isFinite(weight) ? weight : 0];
}

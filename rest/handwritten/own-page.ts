import type { IncomingMessage } from 'node:http';
import type { Config } from '../../src/kit/config.ts';
import { Forbidden } from '../../src/kit/errors.ts';

/** Only a page this platform serves may ask: another site must not, even one that has come by a link. Browsers say where a page is from. */
export function assertOwnPage({ allowedOrigins }: Pick<Config, 'allowedOrigins'>, { headers }: Pick<IncomingMessage, 'headers'>): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign = (origin !== undefined && !allowedOrigins.includes(origin)) || (site !== undefined && site !== 'same-origin' && site !== 'none');
  if (isForeign) throw new Forbidden('origin_not_allowed', 'origin_not_allowed: this is for the pages of this platform only.');
}

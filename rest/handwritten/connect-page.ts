import type { Request, Response } from 'express';
import { type SitePage, sendSitePage } from '../site/page.ts';

export function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

/** A page of the connecting of processors. */
export function sendConnectPage(request: Request, response: Response, page: SitePage): void {
  // Browsers apply `form-action` to the redirects of a form as well: it ends at the shop, by way of the callback.
  sendSitePage(request, response, { ...page, policy: { formAction: '*' } });
}

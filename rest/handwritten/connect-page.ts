import type { Response } from 'express';
import { cardPageStyle } from './card-page.ts';

export function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

/** A page of the connecting of processors. */
export function sendPage(response: Response, content: string): void {
  // Browsers apply `form-action` to the redirects of a form as well: it ends at the shop, by way of the callback.
  response.set(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action *; frame-ancestors 'none'; " +
      "base-uri 'none'",
  );
  response.type('html').send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>Connect a processor</title>
<style>${cardPageStyle}</style>
<main>${content}</main>
</html>
`);
}

import { type RequestHandler, Router } from 'express';
import { readLogoFile } from '../../../src/iam/public.ts';
import { NotFound } from '../../../src/lib/errors.ts';
import { addressLimit } from '../../../src/limits/windows.ts';
import type { Services } from '../../../src/services.ts';
import { logoTypeOf } from '../../../src/theme/logo.ts';
import { forever } from '../frame/assets.ts';

/** Requests of one address, which many visitors may share. Browsers keep an image. */
const requestsPerMinute = 1_200;

/** The logos of partners, for pages and mail: public images whose address contains the hash of their content. */
export function brandRoutes(services: Services): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  const count = addressLimit(services, requestsPerMinute);
  router.get('/brand/:file', async (request, response) => {
    count(request.ip);
    const { file } = request.params;
    const type = logoTypeOf(file);
    const content = type === undefined ? null : await readLogoFile(services, file);
    if (type === undefined || content === null) throw new NotFound('Image not found.');
    response
      .set({
        ETag: `"${file}"`,
        'Cache-Control': forever,
        'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        // Web pages that show mail are on other sites.
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'X-Content-Type-Options': 'nosniff',
      })
      .type(type);
    response.send(Buffer.from(content));
  });
  return router;
}

import type { Request, Response } from 'express';
import type { Services } from '../../src/services.ts';
import { cookieNamed } from './cookies.ts';

const name = 'platform_wrote';

/** Whether the browser has just changed something, so that a replica may not show it yet. */
export function hasJustWritten(request: Request): boolean {
  return cookieNamed(request, name) === '1';
}

/** Makes the browser read from the primary for as long as the replica may be behind. */
export function noteWrite({ config: { database, publicUrl } }: Services, response: Response): void {
  if (database.kind !== 'server' || !database.replica) return;
  response.cookie(name, '1', {
    path: '/graphql',
    maxAge: database.replica.maxLagMs,
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
  });
}

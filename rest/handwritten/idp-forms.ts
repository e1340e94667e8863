import type { Request, RequestHandler, Response } from 'express';
import type { Client } from '../../src/adapters/embedded-idp/engine-call.ts';
import { InvalidInput, invalid } from '../../src/kit/errors.ts';
import { passwordLengthMax, passwordLengthMin } from '../../src/kit/password-bounds.ts';
import { storable } from '../../src/kit/storable.ts';
import { assertOwnOrigin } from '../../src/people/identity/public.ts';
import type { Services } from '../../src/services.ts';
import { readBody } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';

const bodyBytesMax = 16 * 1024;

/** A handler that answers with JSON. */
export function answer(
  services: Services,
  work: (request: Request, response: Response) => Promise<unknown>,
): RequestHandler {
  return async (request, response) => {
    exchangeOf(request).route = request.path;
    try {
      sendJson(request, response, 200, await work(request, response));
    } catch (error) {
      response.removeHeader('Set-Cookie');
      sendError(services, surfaces.public, request, response, error);
    }
  };
}

/** Accepts JSON from the platform's own pages only, so that another site cannot sign a user in or out. */
export async function readForm(services: Services, request: Request): Promise<Record<string, unknown>> {
  assertOwnOrigin(services.config, request.headers.origin);
  return readBody(services, request, bodyBytesMax);
}

export function textOf(body: Record<string, unknown>, name: string, lengthMax: number): string {
  const value = body[name];
  if (typeof value !== 'string' || value.trim() === '') throw invalid(name, 'is required: a text');
  if (value.length > lengthMax) throw invalid(name, `must have at most ${lengthMax} characters`);
  if (!storable(value)) throw invalid(name, 'must not contain the character 0');
  return value;
}

/** A new password, or null if none is given: a user who has an account gives none. */
export function passwordOf(body: Record<string, unknown>, name = 'password'): string | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value.length >= passwordLengthMin && value.length <= passwordLengthMax) return value;
  throw new InvalidInput([
    { path: name, message: `must be a text of ${passwordLengthMin} to ${passwordLengthMax} characters` },
  ]);
}

export function newPasswordOf(body: Record<string, unknown>, name: string): string {
  const password = passwordOf(body, name);
  if (password === null) throw invalid(name, 'is required: a text');
  return password;
}

export function clientOf(request: Request): Client & { cookie: string } {
  const { cookie = '', 'user-agent': userAgent = '' } = request.headers;
  return { ip: request.ip ?? '', userAgent, cookie };
}

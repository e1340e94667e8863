import { type DomainError, InvalidInput } from '../src/kit/errors.ts';

/** What differs between the three REST surfaces. Everything else is the engine's, and the same for all. */
export interface Surface {
  name: 'public' | 'plugins' | 'iam';
  root: string;
  credential: 'apiKey' | 'session';
  /** How large the body of an endpoint may be, by its path. */
  bodyBytesMax(path: string): number;
  /** The status of a request whose shape or value is wrong. */
  invalidStatus: 400 | 422;
  errorBody(problem: Problem): object;
}

/** An error as a surface writes it down. */
export interface Problem {
  status: number;
  code: string;
  message: string;
  data: Readonly<Record<string, unknown>>;
}

const mebibyte = 1024 * 1024;

export const surfaces = {
  plugins: {
    name: 'plugins',
    root: '/api/public/v1/plugins',
    credential: 'apiKey',
    bodyBytesMax: (path) => (path === '/v2/deploy' ? 5 : 1) * mebibyte,
    invalidStatus: 400,
    errorBody: ({ message, code, data }) => ({ message, code, issues: pluginIssues(message, data) }),
  },
  public: {
    name: 'public',
    root: '/api/public/v1',
    credential: 'apiKey',
    bodyBytesMax: () => mebibyte,
    invalidStatus: 400,
    errorBody: ({ code, message, data }) => ({ code, message, data }),
  },
  iam: {
    name: 'iam',
    root: '/api/v1/iam',
    credential: 'session',
    bodyBytesMax: () => mebibyte,
    invalidStatus: 422,
    errorBody: ({ code, message }) => ({ code, message }),
  },
} as const satisfies Record<Surface['name'], Surface>;

/** The domain error in the surface's own numbers: IAM says 422 where the others say 400. */
export function problemOf(surface: Surface, error: DomainError): Problem {
  const { code, message, data } = error;
  if (error instanceof InvalidInput && error.status === 400 && surface.invalidStatus === 422) {
    return { status: 422, code: 'UNPROCESSABLE_CONTENT', message, data };
  }
  return { status: error.status, code, message, data };
}

/** Plugin errors always carry issues; one without fields has a single issue with its reason. */
function pluginIssues(message: string, data: Problem['data']): unknown {
  if (Array.isArray(data['issues'])) return data['issues'];
  return [typeof data['reason'] === 'string' ? { message, reason: data['reason'] } : { message }];
}

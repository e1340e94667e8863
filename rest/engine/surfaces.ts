import { type DomainError, InvalidInput } from '../../src/lib/errors.ts';

/** The differences between the three REST surfaces. Everything else is part of the engine and the same for all. */
export interface Surface {
  name: 'public' | 'plugins' | 'iam';
  /** The title of its description. */
  title: string;
  root: string;
  credential: 'apiKey' | 'session';
  /** Its introduction in the API reference, a file beside this one. */
  introduction: `${string}.md`;
  /** The groups of its reference that no domain describes, by the name of their document. */
  groups?: Readonly<Record<string, { title: string; description: string }>>;
  /** The maximum size of a body, by the path of the endpoint. */
  bodyBytesMax(path: string): number;
  /**
   * The maximum number of fields and list elements of a body, by the path of the endpoint, where it differs from the
   * default.
   */
  bodyEntriesMax?(path: string): number | undefined;
  /** The status of an error in the body or a parameter. */
  invalidStatus: 400 | 422;
  errorBody(problem: Problem): object;
}

/** An error with the status and code of a surface. */
export interface Problem {
  status: number;
  code: string;
  message: string;
  data: Readonly<Record<string, unknown>>;
}

const mebibyte = 1024 * 1024;

const iamGroups = {
  'partners-admin': { title: 'Partners', description: 'Partners, with their staff and organizations.' },
  staff: { title: 'Staff', description: 'The roster of a partner: invitations, memberships and roles.' },
  users: { title: 'Users', description: 'The people whom the platform knows, by their roles and partners.' },
  'internal-users': { title: 'Internal users', description: 'The roles of internal staff, and the scope of a user.' },
  orgs: { title: 'Organizations', description: 'Organizations, and the partner that each belongs to.' },
  permissions: { title: 'Permissions', description: 'Whether a change would be permitted, and the reason if not.' },
} as const;

export const surfaces = {
  plugins: {
    name: 'plugins',
    title: 'Partner Payments Platform',
    root: '/api/public/v1/plugins',
    credential: 'apiKey',
    introduction: 'introduction.md',
    bodyBytesMax: (path) => (path === '/v2/deploy' ? 5 : 1) * mebibyte,
    bodyEntriesMax: (path) => (path === '/v2/deploy' ? 25_000 : undefined),
    invalidStatus: 400,
    errorBody: ({ message, code, data }) => ({ message, code, issues: pluginIssues(message, data) }),
  },
  public: {
    name: 'public',
    title: 'Partner Payments Platform',
    root: '/api/public/v1',
    credential: 'apiKey',
    introduction: 'introduction.md',
    bodyBytesMax: () => mebibyte,
    invalidStatus: 400,
    errorBody: ({ code, message, data }) => ({ code, message, data }),
  },
  iam: {
    name: 'iam',
    title: 'Partner Payments Platform: people and partners',
    root: '/api/v1/iam',
    credential: 'session',
    introduction: 'introduction-iam.md',
    groups: iamGroups,
    bodyBytesMax: () => mebibyte,
    invalidStatus: 422,
    errorBody: ({ code, message }) => ({ code, message }),
  },
} as const satisfies Record<Surface['name'], Surface>;

/** Converts a domain error to the status of the surface: IAM returns 422 where the others return 400. */
export function problemOf(surface: Surface, error: DomainError): Problem {
  const { code, message, data } = error;
  if (error instanceof InvalidInput && error.status === 400 && surface.invalidStatus === 422) {
    return { status: 422, code: 'UNPROCESSABLE_CONTENT', message, data };
  }
  return { status: error.status, code, message, data };
}

/** Plugin errors always contain issues. An error without invalid fields has one issue with its reason. */
function pluginIssues(message: string, data: Problem['data']): unknown {
  if (Array.isArray(data['issues'])) return data['issues'];
  return [typeof data['reason'] === 'string' ? { message, reason: data['reason'] } : { message }];
}

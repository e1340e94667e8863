/** Codes of PostgreSQL: the server stops or starts, has ended the session, accepts no writes, or has an I/O error. */
const absenceCodes = new Set(['57P01', '57P02', '57P03', '57P05', '25006', '58030']);
/**
 * Codes of PostgreSQL and Prisma: a statement or a transaction exceeded its timeout, for example because its commit
 * waited for a standby that is down, or lost its locks to others at each attempt. It was rolled back.
 */
const delayCodes = new Set(['57014', '25P03', '25P04', '55P03', '40001', '40P01', 'P2028', 'P2034']);
/** Connection exceptions; insufficient resources, such as a full disk or too many connections. */
const absenceClasses = new Set(['08', '53']);
/** Codes of the operating system, of DNS, of the HTTP client, of Prisma, and of the identity provider's port. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOSPC',
  'EDQUOT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2037',
  'UNAVAILABLE',
]);
/** Errors of pg and Prisma that have no code of their own. */
const connectionMessages =
  /^(?:Connection terminated|Connection ended unexpectedly|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable)|Unable to start a transaction in the given time/;
/** The names of connection errors in the driver adapter of Prisma. */
const connectionKinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);

/**
 * Codes of PostgreSQL for which there was no connection, or the pooler had none for the statement. The codes of the
 * operating system are ambiguous: an open connection also ends with ECONNREFUSED or EHOSTUNREACH if a firewall or a
 * router rejects a packet.
 */
const unsentCodes = new Set(['57P03', '53300']);
const unsentMessages = /^timeout exceeded when trying to connect/;

/**
 * Whether the error is an outage or a delay of something that the platform needs, such as its database, and no fault of
 * the platform itself. The error may be wrapped by Prisma, by the executor of GraphQL, or as the cause of another.
 */
export function isOutage(error: unknown): boolean {
  return isAbsence(error) || some(error, (part) => delayCodes.has(namesOf(part).code));
}

/** Whether the error means that something is unavailable. A delay affects one statement, and others may succeed. */
export function isAbsence(error: unknown): boolean {
  return some(error, (part) => {
    const { code, kind, message } = namesOf(part);
    return isAbsenceCode(code) || connectionKinds.has(kind) || connectionMessages.test(message);
  });
}

/**
 * Whether an outage began before the statement was sent, so that the statement certainly had no effect. The pool marks
 * the errors of connections that were never open (src/database/pool.ts).
 */
export function isUnsent(error: unknown): boolean {
  return some(error, (part) => {
    if ('isUnsent' in part && part.isUnsent === true) return true;
    const { code, message } = namesOf(part);
    return unsentCodes.has(code) || unsentMessages.test(message);
  });
}

/** The code of an outage, or its message, for the log. */
export function outageName(error: unknown): string {
  let name = '';
  some(error, (part) => {
    const { code, kind, message } = namesOf(part);
    name = isOutageCode(code) ? `${code} ${message}`.trim() : message || kind || name;
    return isOutageCode(code);
  });
  return name;
}

function isOutageCode(code: string): boolean {
  return isAbsenceCode(code) || delayCodes.has(code);
}

function isAbsenceCode(code: string): boolean {
  if (absenceCodes.has(code) || connectionCodes.has(code)) return true;
  return /^[0-9A-Z]{5}$/.test(code) && absenceClasses.has(code.slice(0, 2));
}

function namesOf(part: object): { code: string; kind: string; message: string } {
  const { code, originalCode, kind, message } = part as Readonly<Record<string, unknown>>;
  const named = [code, originalCode].find((name) => typeof name === 'string' && isOutageCode(name)) ?? code;
  return { code: textOf(named), kind: textOf(kind), message: textOf(message) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const depthMax = 8;

/** Whether `is` is true for the error or for one that it wraps. */
function some(error: unknown, is: (part: object) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > depthMax) return false;
  if (is(error)) return true;
  const { cause, originalError, errors, meta, driverAdapterError } = error as Readonly<Record<string, unknown>>;
  const inner = [cause, originalError, meta, driverAdapterError, ...(Array.isArray(errors) ? errors : [])];
  return inner.some((part) => some(part, is, depth + 1));
}

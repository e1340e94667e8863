import { type InputIssue, InvalidInput } from '../../kit/errors.ts';
import type { Mode } from '../../kit/mode.ts';

const originsMax = 10;
const form = 'must be an exact origin such as https://shop.example.com: scheme, host and port, without a path';

/** The origins of the pages that may frame card fields. Reports every wrong one. */
export function checkOrigins(given: readonly string[], mode: Mode): string[] {
  if (given.length < 1 || given.length > originsMax)
    throw new InvalidInput([{ path: 'origins', message: `must have 1 to ${originsMax} origins` }]);
  const issues = given.flatMap((text, at): InputIssue[] => {
    const message = problemOf(text, mode);
    return message === null ? [] : [{ path: `origins[${at}]`, message }];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
  return [...new Set(given)];
}

/** The host is narrower than a URL allows: the text becomes a part of a content security policy. */
function problemOf(text: string, mode: Mode): string | null {
  if (text.length > 300 || !/^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(text) || !URL.canParse(text)) return form;
  const { origin, protocol, hostname } = new URL(text);
  if (origin !== text) return `${form}; write ${origin}`;
  if (protocol === 'https:') return null;
  if (!isThisMachine(hostname)) return 'must be https: http is for localhost only';
  return mode === 'test' ? null : 'must be https in live mode';
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1';
}

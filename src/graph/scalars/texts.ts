import ipaddr from 'ipaddr.js';
import { RE2JS } from 're2js';
import { isWebPort, webPorts } from '../../lib/network.ts';
import { InvalidValueError } from '../errors.ts';
import { defineScalar, patternScalar } from './define-scalar.ts';
import { patternSize, patternSizeMax } from './pattern-size.ts';

defineScalar('Label', {
  description: 'A string of 1 to 100 characters that is not blank.',
  jsonSchema: { type: 'string', minLength: 1, maxLength: 100 },
  expected: 'must be a text of 1 to 100 characters that is not blank',
  parse: (value) => text(value, 1, 100),
});

defineScalar('Name', {
  description: 'A string of 1 to 200 characters that is not blank.',
  jsonSchema: { type: 'string', minLength: 1, maxLength: 200 },
  expected: 'must be a text of 1 to 200 characters that is not blank',
  parse: (value) => text(value, 1, 200),
});

defineScalar('ShortText', {
  description: 'A string of at most 500 characters.',
  jsonSchema: { type: 'string', maxLength: 500 },
  expected: 'must be a text of at most 500 characters',
  parse: (value) => text(value, 0, 500),
});

defineScalar('Tag', {
  description: 'A label of the form `<key>:<value>`, at most 100 characters.',
  jsonSchema: { type: 'string', pattern: '^[^:\\s]+:.+$', maxLength: 100 },
  expected: 'must be a label of the form "<key>:<value>" of at most 100 characters',
  parse: (value) =>
    typeof value === 'string' && value.length <= 100 && /^[^:\s]+:.+$/.test(value) ? value : undefined,
});

defineScalar(
  'Handle',
  patternScalar(
    'A name chosen by the client: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `_` and `-`.',
    /^[A-Za-z0-9_-]{1,64}$/,
    'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -',
  ),
);

defineScalar(
  'Slug',
  patternScalar(
    'The slug of a partner: 3 to 40 characters of `a-z`, `0-9` and `-`.',
    /^[a-z0-9-]{3,40}$/,
    'must be a slug of 3 to 40 characters of a-z, 0-9 and -',
  ),
);

defineScalar(
  'BinPrefix',
  patternScalar('The first digits of a card number: 6 to 8 digits.', /^[0-9]{6,8}$/, 'must be 6 to 8 digits', {
    examples: ['424242'],
  }),
);

defineScalar('Pattern', {
  description:
    'A regular expression in RE2 syntax (no look-around, no back-references), 1 to 200 characters, of a compiled ' +
    'size ' +
    `of at most ${patternSizeMax} instructions: \`[a-z]{40}\` has about 40. It is searched for anywhere in a string, ` +
    'case-insensitively, in linear time.',
  jsonSchema: { type: 'string', minLength: 1, maxLength: 200 },
  expected: 'must be a regular expression in RE2 syntax (no look-around, no back-references) of 1 to 200 characters',
  parse: (value) => {
    if (typeof value !== 'string' || value.length < 1 || value.length > 200) return undefined;
    const size = patternSize(value); // before it is compiled, which takes long for a large one
    if (size > patternSizeMax)
      throw new InvalidValueError(
        `must have a compiled size of at most ${patternSizeMax} instructions, it has about ${size}: repetitions ` +
          'count as often as they repeat',
      );
    return isPattern(value) ? value : undefined;
  },
});

defineScalar('IpAddress', {
  description: 'An IPv4 or IPv6 address of at most 45 characters. It is returned in its shortest form.',
  jsonSchema: { type: 'string', maxLength: 45, examples: ['203.0.113.7'] },
  expected: 'must be an IPv4 or IPv6 address',
  parse: (value) =>
    typeof value === 'string' &&
    value.length <= 45 &&
    (ipaddr.IPv4.isValidFourPartDecimal(value) || ipaddr.IPv6.isValid(value))
      ? ipaddr.process(value).toString()
      : undefined,
});

defineScalar('Email', {
  description: 'An email address of at most 254 characters. Email addresses are compared case-insensitively.',
  jsonSchema: { type: 'string', format: 'email', maxLength: 254 },
  expected: 'must be an email address of at most 254 characters',
  parse: (value) => (typeof value === 'string' && value.length <= 254 && emailPattern.test(value) ? value : undefined),
});

defineScalar('Url', {
  description:
    'An absolute http or https URL of at most 2048 characters, without user name and password, white space ' +
    `and backslashes, with ${webPorts}. In live mode only https is accepted.`,
  jsonSchema: { type: 'string', format: 'uri', maxLength: 2048 },
  expected: `must be an absolute http or https address of at most 2048 characters, with ${webPorts}`,
  isHttpsWhenLive: true,
  parse: (value) => (typeof value === 'string' && value.length <= 2048 && isWebAddress(value) ? value : undefined),
});

function text(value: unknown, min: number, max: number): string | undefined {
  if (typeof value !== 'string' || value.length > max) return undefined;
  return value.trim().length >= min ? value : undefined;
}

function isPattern(value: string): boolean {
  try {
    RE2JS.compile(value);
    return true;
  } catch {
    return false;
  }
}

// The pattern matches in linear time: no part of it can match the same text in two ways.
export const emailPattern =
  /^[^\s@<>"(),:;[\]\\]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/;

function isWebAddress(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null &&
    // `URL` removes control characters and reads a backslash as a slash; other programs do not.
    !/[\p{Cc}\s\\]/u.test(value) &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    isWebPort(url)
  );
}

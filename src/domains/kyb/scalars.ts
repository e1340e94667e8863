import { choiceScalar, defineScalar } from '../../graph/define-scalar.ts';
import {
  isKybValue,
  type KybCode,
  type KybValue,
  kybCodes,
  kybFieldMax,
  kybFieldNameMax,
  kybFieldsMax,
  kybTextMax,
} from './requirements.ts';

declare module '../../graph/scalar-types.ts' {
  interface ScalarTypes {
    KybCode: { Input: KybCode; Output: string };
    KybValue: { Input: KybValue; Output: KybValue };
  }
}

defineScalar('KybCode', choiceScalar('The code of a KYB requirement.', kybCodes));

const shape =
  `a string of 1 to ${kybTextMax} characters that is not blank, or an object of 1 to ${kybFieldsMax} fields with ` +
  `names of at most ${kybFieldNameMax} characters, each a string of at most ${kybFieldMax} characters, a number, ` +
  'true, false or null';

defineScalar('KybValue', {
  description:
    `The value submitted for a KYB requirement: ${shape}. Its content is checked by a reviewer only. It is stored ` +
    `encrypted and not returned to API keys. In test mode the string \`reject\` causes the requirement to be rejected.`,
  jsonSchema: {
    oneOf: [
      { type: 'string', minLength: 1, maxLength: kybTextMax },
      {
        type: 'object',
        minProperties: 1,
        maxProperties: kybFieldsMax,
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      },
    ],
    examples: ['Corner Shop Ltd'],
  },
  expected: `must be ${shape}`,
  parse: (value) => (isKybValue(value) ? value : undefined),
});

import { choiceScalar, defineScalar } from '../graph/scalars.ts';
import { isKybValue, kybCodes, kybFieldMax, kybFieldNameMax, kybFieldsMax, kybTextMax } from './requirements.ts';

defineScalar('KybCode', choiceScalar('What is asked of a business.', kybCodes));

const shape = `a text of 1 to ${kybTextMax} characters that is not blank, or an object of 1 to ${kybFieldsMax} fields with names of at most ${kybFieldNameMax} characters, each a text of at most ${kybFieldMax}, a number, true, false or null`;

defineScalar('KybValue', {
  description: `What is sent for a requirement: ${shape}. A reviewer reads it; beyond this its shape is not checked. It is kept encrypted and never answered to a key. In test mode the text \`reject\` gets the requirement rejected.`,
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

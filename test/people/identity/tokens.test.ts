import { createTokenVerifier } from '../../../src/adapters/session-tokens.ts';
import { issuer, tokenSuite, without } from './token-suite.ts';

tokenSuite(
  'embedded',
  (readKeys) => createTokenVerifier({ issuer, audience: issuer, authorizedParties: [issuer], readKeys }),
  [
    ['for another audience', 'WRONG_PARTY', (good) => ({ ...good, aud: 'https://other.example.com' })],
    ['without an audience', 'WRONG_PARTY', (good) => without(good, 'aud')],
    ['that does not say that its session is active', 'PENDING', (good) => without(good, 'sts')],
  ],
);

/** Where merchants connect their own account at the card processor, and as whom we ask. */
export interface ConnectConfig {
  clientId: string;
  clientSecret: string;
  authorizationUrl: string;
  tokenUrl: string;
}

/** Null when nothing of it is set. Half of it, or a secret that would travel in the clear, stops the start. */
export function connectOf(given: ConnectConfig, fail: (sentence: string) => never): ConnectConfig | null {
  if (given.clientId === '' && given.clientSecret === '') return null;
  if (given.clientId === '' || given.clientSecret === '')
    return fail(
      'Of STRIPE_CONNECT_CLIENT_ID and STRIPE_CONNECT_CLIENT_SECRET one is set; connecting processors needs both, or neither.',
    );
  const { protocol, hostname } = new URL(given.tokenUrl);
  const staysHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || staysHere
    ? given
    : fail('STRIPE_CONNECT_TOKEN_URL must be an https address: the client secret and tokens go there.');
}

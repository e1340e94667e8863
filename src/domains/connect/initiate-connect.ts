import * as oauth from 'oauth4webapi';
import type { ConnectAttempt } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { parseKeyRing } from '../../kit/encryption/key-ring.ts';
import { encryptSecret } from '../../kit/encryption/secrets.ts';
import { type InputIssue, InvalidInput, invalid } from '../../kit/errors.ts';
import { randomBase62 } from '../../kit/ids.ts';
import type { Services } from '../../services.ts';
import { write } from '../../write/write.ts';
import { lockProcessor } from '../processors/public.ts';
import { connectServerOf, consentPath, redirectUriOf } from './authorization-server.ts';
import type { InitiateConnectInput } from './inputs.ts';
import { hashOfState, stateOf } from './state.ts';
import { contextOf, verifierOf } from './verifier.ts';

const stateLivesMs = 600_000;

/** Starts an attempt and returns the address of the page of consent, which leads to the processor's page. */
export async function initiateConnect(
  context: KeyContext,
  input: typeof InitiateConnectInput.$inferInput,
): Promise<{ url: string }> {
  const { services, caller, actor } = context;
  assertReturnAddresses(caller.mode, input);
  const { id } = await write(context, 'initiateCardprocessorConnect', async (change) => {
    const {
      id: processorId,
      platformAccountId,
      partnerId,
      mode,
      type,
    } = await lockProcessor(context, change, input.processorId);
    if (type !== 'stripe') throw invalid('processorId', 'must name a processor whose type has OAuth: stripe');
    connectServerOf(services.config, mode);
    const attempt = {
      id: randomBase62(32),
      processorId,
      platformAccountId,
      partnerId,
      mode,
      expiresAt: new Date(change.now.getTime() + stateLivesMs),
    };
    const verifier = encryptSecret(
      parseKeyRing(services.config.vaultKeys),
      oauth.generateRandomCodeVerifier(),
      contextOf(attempt.id),
    );
    const returnUrl = input.redirectUrl ?? input.returnUrl ?? null;
    await change.tx.connectAttempt.create({
      data: {
        ...attempt,
        stateHash: hashOfState(stateOf(services.config, attempt)),
        verifier,
        returnUrl,
        isFromOnboarding: input.isFromOnboarding ?? false,
        actorKind: actor.kind,
        actorId: actor.id,
        createdAt: change.now,
      },
    });
    change.audit({ action: 'initiateCardprocessorConnect', target: processorId });
    // The answer is stored for replay, and must not contain the state.
    return { id: attempt.id };
  });
  return consentAddress(services, { id });
}

/** The address of the page of consent for an attempt, as its call answers it. */
export async function consentAddress(services: Services, { id }: { id: string }): Promise<{ url: string }> {
  const attempt = await services.prisma.connectAttempt.findUniqueOrThrow({ where: { id } });
  const url = new URL(`${services.config.publicUrl}${consentPath}`);
  url.searchParams.set('state', stateOf(services.config, attempt));
  return { url: url.href };
}

/** The authorization page of the processor, to which the page of consent leads. */
export async function authorizationUrl({ config }: Pick<Services, 'config'>, attempt: ConnectAttempt): Promise<string> {
  const { server, clientId } = connectServerOf(config, attempt.mode);
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    scope: 'read_write',
    redirect_uri: redirectUriOf(config),
    state: stateOf(config, attempt),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifierOf(config, attempt)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function assertReturnAddresses(
  mode: string,
  input: { returnUrl?: string | null | undefined; redirectUrl?: string | null | undefined },
): void {
  const issues: InputIssue[] = [];
  for (const path of ['returnUrl', 'redirectUrl'] as const) {
    const address = input[path];
    if (address != null && mode === 'live' && new URL(address).protocol !== 'https:')
      issues.push({ path, message: 'must be an https address in live mode' });
  }
  if (issues.length > 0) throw new InvalidInput(issues);
}

import type { ConnectAttempt } from '../../generated/prisma/client.ts';
import { invalid } from '../../kit/errors.ts';
import type { Services } from '../../services.ts';
import { hashOfState, isStateOf } from './state.ts';

/** The attempt of the parameter `state`. 400 for a state that was not issued here. */
export async function findAttempt(
  { prisma, config }: Pick<Services, 'prisma' | 'config'>,
  query: URLSearchParams,
): Promise<ConnectAttempt> {
  const [state = '', ...more] = query.getAll('state');
  const attempt =
    more.length === 0 && state.length <= 128
      ? await prisma.connectAttempt.findUnique({ where: { stateHash: hashOfState(state) } })
      : null;
  if (!attempt || !isStateOf(config, attempt, state)) throw invalid('state', 'is not one that was given out here');
  return attempt;
}

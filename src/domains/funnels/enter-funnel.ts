import { assertOpenToVisitors } from '../../auth/standing.ts';
import { visitorContext } from '../../graph/visitor-context.ts';
import { NotFound } from '../../kit/errors.ts';
import type { Services } from '../../services.ts';
import { write } from '../../write/write.ts';
import { noSuchFunnel, storedGraph } from './funnel-rows.ts';
import { entryOf } from './next-step.ts';
import { startSession } from './start-session.ts';
import { textIn } from './step-config.ts';
import { urlOfSession } from './step-url.ts';
import type { VisitFrom } from './visit.ts';

/** Starts a session for a visitor who opens the funnel's own URL, and returns the URL of its first page. */
export async function enterFunnel(
  services: Services,
  funnelId: string,
  from: Omit<VisitFrom, 'token'>,
): Promise<string> {
  const found = /^funnel_[0-9A-Za-z]{1,64}$/.test(funnelId)
    ? await services.prisma.funnel.findUnique({
        where: { id: funnelId },
        include: { store: { include: { account: { include: { partner: { select: { status: true } } } } } } },
      })
    : null;
  if (!found) throw noSuchFunnel();
  const { store, ...funnel } = found;
  assertOpenToVisitors(store.account);
  // Without a page no session is started, so that the figures do not count it.
  if (!hasPage(funnel)) throw noPageError();
  const context = visitorContext(services, funnel, from);
  const session = await write(context, 'enterFunnel', (change) => startSession(context, change, funnel, null));
  const url = await urlOfSession(services, session);
  if (url === null) throw noPageError();
  return url;
}

/** Whether the funnel's own URL can lead to a page. */
export function hasPage(funnel: Parameters<typeof storedGraph>[0]): boolean {
  const { config, variants } = entryOf(storedGraph(funnel));
  return [config, ...variants.map((variant) => variant.config)].some((each) => textIn(each, 'instanceId') !== null);
}

function noPageError(): NotFound {
  return new NotFound('The funnel has no page to begin with: its plugin is mounted nowhere.');
}

import '../../src/theme/font.css';
import '../../src/theme/tokens.css';
import './mantine.css';
import '@mantine/notifications/styles.css';
import './console.css';
import { MantineProvider } from '@mantine/core';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { failureOf } from './graph/failure.ts';
import { pauseWhileIdle } from './shell/idle.ts';
import { router } from './shell/router.tsx';
import { SignedIn } from './shell/signed-in.tsx';
import { colors, theme } from './shell/theme.ts';

// Not needed for the first sight of a page.
const Notifications = lazy(async () => ({ default: (await import('./ui/notifications.ts')).Notifications }));

const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [key] }) => {
      // The person may have other roles by now, and with them other pages.
      if (key !== 'me' && failureOf(error).code === 'FORBIDDEN') void queries.invalidateQueries({ queryKey: ['me'] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Without a network a page says so, instead of waiting in silence, and asks again when it is back.
      networkMode: 'always',
      refetchOnReconnect: true,
      // What the platform refused is not asked again by itself; a lost connection is.
      retry: (count, error) => count < 2 && failureOf(error).isUnknown,
    },
  },
});
const nonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? '';
// For the style that keeps the page from scrolling under a dialog.
setNonce(nonce);
const root = document.getElementById('root');
if (!root) throw new Error('The page has no root.');
pauseWhileIdle();
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={colors} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <Suspense>
        <Notifications position="bottom-right" />
      </Suspense>
      <QueryClientProvider client={queries}>
        <SignedIn>
          <RouterProvider router={router} />
        </SignedIn>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

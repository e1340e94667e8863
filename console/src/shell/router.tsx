import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  redirect,
} from '@tanstack/react-router';
import { Failed } from '../ui/loading-empty-failed.tsx';
import { isMode } from '../ui/mode.ts';
import { Layout } from './layout.tsx';

const root = createRootRoute();

/** The mode stands in the path of every page, so that a link never shows rows of the other one. */
const inMode = createRoute({
  getParentRoute: () => root,
  path: '/$mode',
  component: Layout,
  beforeLoad: ({ params: { mode } }) => {
    if (!isMode(mode)) throw redirect({ to: '/$mode', params: { mode: 'test' } });
  },
});

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: () => <Navigate to="/$mode" params={{ mode: 'test' }} />,
});

type Page = NonNullable<Parameters<typeof lazyRouteComponent>[0]>;

/** A page is loaded with the first visit of its group. What was typed for one object is not kept for the next. */
function page(path: string, load: Page, name: string) {
  return createRoute({
    getParentRoute: () => inMode,
    path,
    component: lazyRouteComponent(load, name),
    remountDeps: ({ params }) => params,
  });
}

const pages = [
  page('/', () => import('../overview/overview.tsx'), 'Overview'),
  page('/payments', () => import('../payments/payments.tsx'), 'Payments'),
  page('/payments/$id', () => import('../payments/payment.tsx'), 'Payment'),
  page('/refund-requests', () => import('../refunds/refund-requests.tsx'), 'RefundRequests'),
  page('/customers', () => import('../customers/customers.tsx'), 'Customers'),
  page('/customers/$id', () => import('../customers/customer.tsx'), 'Customer'),
  page('/cards', () => import('../customers/cards.tsx'), 'Cards'),
  page('/orders', () => import('../orders/orders.tsx'), 'Orders'),
  page('/orders/$id', () => import('../orders/order.tsx'), 'Order'),
  page('/disputes', () => import('../disputes/disputes.tsx'), 'Disputes'),
  page('/disputes/$id', () => import('../disputes/dispute.tsx'), 'Dispute'),
  page('/subscriptions', () => import('../subscriptions/subscriptions.tsx'), 'Subscriptions'),
  page('/subscriptions/$id', () => import('../subscriptions/subscription.tsx'), 'Subscription'),
  page('/deferred-charges', () => import('../subscriptions/deferred-charges.tsx'), 'DeferredCharges'),
  page('/funnels', () => import('../orders/funnels.tsx'), 'Funnels'),
  page('/accounts', () => import('../accounts/accounts.tsx'), 'Accounts'),
  page('/accounts/$id', () => import('../accounts/account.tsx'), 'Account'),
  page('/kyb', () => import('../kyb/kyb-queue.tsx'), 'KybQueue'),
  page('/kyb/$id', () => import('../kyb/kyb-review.tsx'), 'KybReview'),
  page('/api-keys', () => import('../accounts/api-keys.tsx'), 'ApiKeys'),
  page('/key-requests', () => import('../accounts/key-requests.tsx'), 'KeyRequests'),
  page('/block-rules', () => import('../accounts/block-rules.tsx'), 'BlockRules'),
  page('/card-testing-alerts', () => import('../accounts/card-testing-alerts.tsx'), 'CardTestingAlerts'),
  page('/processors', () => import('../operations/processors.tsx'), 'Processors'),
  page('/test-clocks', () => import('../operations/test-clocks.tsx'), 'TestClocks'),
  page('/test-clocks/$id', () => import('../operations/test-clock.tsx'), 'TestClock'),
  page('/events', () => import('../webhooks/events.tsx'), 'Events'),
  page('/events/$id', () => import('../webhooks/event.tsx'), 'Event'),
  page('/endpoints', () => import('../webhooks/endpoints.tsx'), 'Endpoints'),
  page('/endpoints/$id', () => import('../webhooks/endpoint.tsx'), 'Endpoint'),
  page('/deliveries', () => import('../webhooks/deliveries.tsx'), 'Deliveries'),
  page('/partners', () => import('../partners/partners.tsx'), 'Partners'),
  page('/partners/$id', () => import('../partners/partner.tsx'), 'Partner'),
  page('/staff', () => import('../people/staff.tsx'), 'Staff'),
  page('/users', () => import('../people/users.tsx'), 'Users'),
  page('/users/$id', () => import('../people/user.tsx'), 'User'),
  page('/organizations', () => import('../partners/organizations.tsx'), 'Organizations'),
  page('/ledger', () => import('../operations/ledger.tsx'), 'Ledger'),
  page('/jobs', () => import('../operations/jobs.tsx'), 'Jobs'),
  page('/processor-events', () => import('../operations/processor-events.tsx'), 'ProcessorEvents'),
  page('/audit', () => import('../operations/audit.tsx'), 'Audit'),
  page('/me', () => import('../people/me.tsx'), 'Me'),
];

export const router = createRouter({
  routeTree: root.addChildren([start, inMode.addChildren(pages)]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Failed error={error} retry={reset} />,
  defaultNotFoundComponent: () => <Failed error={new Error('Page not found.')} />,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text}`;
  },
});

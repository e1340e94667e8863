import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  redirect,
} from '@tanstack/react-router';
import { Failed } from '../parts/states.tsx';
import { Layout } from './layout.tsx';
import { isMode } from './mode.ts';

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

/** A page is a file of `pages/` that is loaded with the first visit. What was typed for one object is not kept for the next. */
function page(path: string, load: Page, name: string) {
  return createRoute({
    getParentRoute: () => inMode,
    path,
    component: lazyRouteComponent(load, name),
    remountDeps: ({ params }) => params,
  });
}

const pages = [
  page('/', () => import('../pages/overview.tsx'), 'Overview'),
  page('/payments', () => import('../pages/payments.tsx'), 'Payments'),
  page('/payments/$id', () => import('../pages/payment.tsx'), 'Payment'),
  page('/refund-requests', () => import('../pages/refund-requests.tsx'), 'RefundRequests'),
  page('/payments/$payment/disputes/$id', () => import('../pages/dispute.tsx'), 'Dispute'),
  page('/customers', () => import('../pages/customers.tsx'), 'Customers'),
  page('/customers/$id', () => import('../pages/customer.tsx'), 'Customer'),
  page('/cards', () => import('../pages/cards.tsx'), 'Cards'),
  page('/orders', () => import('../pages/orders.tsx'), 'Orders'),
  page('/orders/$id', () => import('../pages/order.tsx'), 'Order'),
  page('/disputes', () => import('../pages/disputes.tsx'), 'Disputes'),
  page('/subscriptions', () => import('../pages/subscriptions.tsx'), 'Subscriptions'),
  page('/subscriptions/$id', () => import('../pages/subscription.tsx'), 'Subscription'),
  page('/withheld-charges', () => import('../pages/withheld-charges.tsx'), 'WithheldCharges'),
  page('/funnels', () => import('../pages/funnels.tsx'), 'Funnels'),
  page('/accounts', () => import('../pages/accounts.tsx'), 'Accounts'),
  page('/accounts/$id', () => import('../pages/account.tsx'), 'Account'),
  page('/kyb', () => import('../pages/kyb-queue.tsx'), 'KybQueue'),
  page('/kyb/$id', () => import('../pages/kyb-review.tsx'), 'KybReview'),
  page('/api-keys', () => import('../pages/api-keys.tsx'), 'ApiKeys'),
  page('/alarms', () => import('../pages/alarms.tsx'), 'Alarms'),
  page('/processors', () => import('../pages/processors.tsx'), 'Processors'),
  page('/test-clocks', () => import('../pages/test-clocks.tsx'), 'TestClocks'),
  page('/test-clocks/$id', () => import('../pages/test-clock.tsx'), 'TestClock'),
  page('/events', () => import('../pages/events.tsx'), 'Events'),
  page('/events/$id', () => import('../pages/event.tsx'), 'Event'),
  page('/endpoints', () => import('../pages/endpoints.tsx'), 'Endpoints'),
  page('/endpoints/$id', () => import('../pages/endpoint.tsx'), 'Endpoint'),
  page('/deliveries', () => import('../pages/deliveries.tsx'), 'Deliveries'),
  page('/partners', () => import('../pages/partners.tsx'), 'Partners'),
  page('/partners/$id', () => import('../pages/partner.tsx'), 'Partner'),
  page('/staff', () => import('../pages/staff.tsx'), 'Staff'),
  page('/users', () => import('../pages/users.tsx'), 'Users'),
  page('/organizations', () => import('../pages/organizations.tsx'), 'Organizations'),
  page('/ledger', () => import('../pages/ledger.tsx'), 'Ledger'),
  page('/jobs', () => import('../pages/jobs.tsx'), 'Jobs'),
  page('/processor-events', () => import('../pages/processor-events.tsx'), 'ProcessorEvents'),
  page('/audit', () => import('../pages/audit.tsx'), 'Audit'),
  page('/me', () => import('../pages/me.tsx'), 'Me'),
];

export const router = createRouter({
  routeTree: root.addChildren([start, inMode.addChildren(pages)]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Failed error={error} retry={reset} />,
  defaultNotFoundComponent: () => <Failed error={new Error('There is no such page in the console.')} />,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text}`;
  },
});

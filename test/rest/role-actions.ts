import type { Decision } from '../../src/auth/decisions.ts';
import type { ScopeMap } from '../../src/auth/scopes.ts';
import {
  canAdministerPlatform,
  canManagePartnerStaff,
  canUpdatePartner,
  type StaffAction,
} from '../../src/iam/policy.ts';
import { refusalToDecide, refusalToWithdraw } from '../../src/iam/second-person.ts';
import { exportKinds } from '../../src/operators/exports/export-kinds.ts';
import type { personOf } from '../support/callers.ts';

type Person = ReturnType<typeof personOf>;

/** What a person or a key may do, in words. */
export interface RoleAction {
  words: string;
  /** The fields of the graph for it, all of the same marks: `payment`, or `Payment.blockedBy` of an object. */
  fields: readonly string[];
  /** Whether it is about no partner: who may do it does it without a bound. */
  isOwnMatter?: boolean;
  /** What an argument of the field requires beyond its own scopes. */
  scopes?: ScopeMap;
  /** What the policy decides beyond the scopes of the field. */
  policy?: (person: Person) => boolean;
  /** Whether another person must agree before it is done. */
  takesTwo?: (person: Person) => boolean;
}

/** An action, with its fields in one text. */
const by = (words: string, fields: string, more: Omit<RoleAction, 'words' | 'fields'> = {}): RoleAction => ({
  words,
  fields: fields.split(' '),
  ...more,
});
const decided = (decide: (person: Person) => Decision) => ({ policy: (person: Person) => decide(person).ok });
const inStaff = (action: StaffAction) =>
  decided((person) =>
    canManagePartnerStaff(person, 'acme', { slug: 'acme', status: 'active' }, { action, targetUserId: 'user_2' }),
  );
const another = { userId: 'user_2', email: 'another@example.com' };

/** Every action, by what it is about. Each root field of the graph has one. */
export const roleActions: Readonly<Record<string, readonly RoleAction[]>> = {
  Payments: [
    by('Find and read payments', 'payments payment'),
    by('Read what a payment posted to the ledger', 'Payment.postings'),
    by('Read which block rule blocked a payment', 'Payment.blockedBy'),
    by('Charge a card', 'processPayment'),
    by('Continue a payment after its challenge', 'continuePayment'),
    by('Capture an authorized payment', 'capturePayment'),
    by('Void an authorized payment', 'voidPayment'),
    by('Refund a payment', 'refundPayment'),
    by('Refund a payment from the refund limit on', 'refundPayment', {
      takesTwo: (person) => refusalToDecide(person, person) === 'second_person_required',
    }),
    by('End a payment whose outcome stays unknown', 'resolvePayment'),
  ],
  'Refunds that need a second approver': [
    by('Read the refund limits', 'refundLimits'),
    by('Read how much can be refunded without a second approver', 'Payment.refundableWithoutApproval'),
    by('Set the refund limits', 'setRefundLimit'),
    by('Read the requests', 'refundRequests Payment.refundRequests'),
    by('Approve or reject the request of another person', 'approveRefundRequest rejectRefundRequest', {
      policy: (person) => refusalToDecide(person, another) === null,
    }),
    by('Approve or reject an own request', 'approveRefundRequest rejectRefundRequest', {
      policy: (person) => refusalToDecide(person, person) === null,
    }),
    by('Withdraw an own request', 'withdrawRefundRequest', {
      policy: (person) => refusalToWithdraw(person, person) === null,
    }),
  ],
  'Disputes, figures, search and exports': [
    by('Read disputes', 'disputes dispute'),
    by('Open and advance a test dispute', 'openTestDispute advanceTestDispute'),
    by('Read volume, approval rate, refunds and disputes', 'figures'),
    by('Find anything by ID, email or reference', 'search'),
    by('Save views of lists of the console, share and delete own ones', 'savedViews saveView deleteView'),
    by('Export a list as CSV', 'createExport'),
    by('Export the audit log as CSV', 'createExport', { scopes: exportKinds.auditLog.scope }),
  ],
  'Customers, cards and orders': [
    by('Read customers', 'customers customer customerData'),
    by('Create, change and delete a customer', 'createCustomer updateCustomer deleteCustomer'),
    by('Read stored cards', 'paymentInstruments paymentInstrument'),
    by('Open a session for card fields, and read it', 'createClientSession clientSession'),
    by('Store a card', 'tokenizeCard createPaymentInstrument'),
    by('Choose the default card, delete a card', 'setDefaultPaymentInstrument deletePaymentInstrument'),
    by('Read orders', 'orders order'),
    by('Create and cancel an order', 'createOrder cancelOrder'),
    by('Read products', 'products product'),
    by('Create a product', 'createProduct'),
  ],
  Subscriptions: [
    by('Read subscriptions', 'subscriptions subscription'),
    by('Read what a subscription charges next', 'CustomerSubscription.upcomingCharge'),
    by('Read charges that were not made', 'deferredCharges'),
    by('Create, change and charge a subscription', 'createSubscription updateSubscription rebillSubscription'),
    by('Cancel a subscription', 'cancelSubscription'),
    by('Pause and resume a subscription', 'pauseSubscription resumeSubscription'),
  ],
  'Checkout pages': [
    by('Read funnels', 'funnels funnel'),
    by('Read the figures and visits of a funnel', 'funnelFigures funnelSession'),
    by('Create, change and delete a funnel', 'createFunnel updateFunnel deleteFunnel'),
    by('Lead a visitor through a funnel', 'createFunnelSession nextFunnelStep'),
    by(
      'Read plugins and their configurations',
      'pluginDeployments pluginDeployment pluginInstances pluginInstance pluginConfigurations',
    ),
    by('Deploy and delete a plugin', 'deployPlugin deletePluginDeployment'),
    by(
      'Serve and configure a plugin',
      'createPluginInstance mountPluginInstance unmountPluginInstance updatePluginInstanceConfig ' +
        'syncPluginConfig rollBackPluginConfig deletePluginInstance',
    ),
  ],
  'Accounts and KYB': [
    by('List accounts', 'accounts'),
    by('Read an account', 'account'),
    by('Read the partner of an account or of an API key', 'Account.partner ApiKey.partner PartnerKeyRequest.partner'),
    by('Read the balances of an account in the ledger', 'Account.ledgerBalances'),
    by('Create and change an account', 'createAccount updateAccount'),
    by('Read stores', 'stores'),
    by('Create and change a store', 'createStore updateStore'),
    by('Activate, suspend and close an account', 'activateAccount suspendAccount closeAccount'),
    by('Change the plan of an account', 'setAccountPlan'),
    by('Read the KYB of an account', 'kyb'),
    by('Read the KYB queue', 'kybQueue'),
    by('Submit KYB', 'submitKyb'),
    by('Reveal the values of a KYB', 'revealKyb KybRequirement.value'),
    by('Review, approve and reject KYB', 'reviewKybRequirement approveKyb rejectKyb'),
  ],
  'Processors, rules and test clocks': [
    by('Read processors', 'processors'),
    by('Connect a processor', 'createProcessor initiateCardprocessorConnect'),
    by('Switch what a test processor simulates', 'updateProcessor'),
    by('Read payment flows', 'paymentFlows'),
    by('Create, change and delete a payment flow', 'createPaymentFlow updatePaymentFlow deletePaymentFlow'),
    by('Read block rules', 'blockRules blockRule'),
    by('Create and delete a block rule', 'createBlockRule deleteBlockRule'),
    by('Change a block rule', 'updateBlockRule'),
    by('Read test clocks', 'testClocks testClock'),
    by('Create and advance a test clock', 'createTestClock advanceTestClock'),
  ],
  'Events and webhooks': [
    by('Read events', 'events event'),
    by('Read webhook endpoints', 'webhookEndpoints webhookEndpoint'),
    by('Read deliveries, with what was sent and answered', 'webhookDeliveries'),
    by('Create and delete an endpoint', 'createWebhookEndpoint deleteWebhookEndpoint'),
    by('Switch an endpoint off and on', 'updateWebhookEndpoint'),
    by('Send a test event', 'testWebhookEndpoint'),
    by('Send an event, or all since a time, again', 'redeliverWebhook redeliverWebhooksSince'),
    by('Replace the secret of an endpoint', 'rotateWebhookSecret'),
  ],
  'API keys': [
    by('Read keys, never their secrets', 'apiKeys'),
    by('See what a key is for', 'authTest', { isOwnMatter: true }),
    by('Create a partner key', 'createPartnerKey', {
      // The person who asks then makes the key.
      takesTwo: ({ whitelabelOwnership }) => whitelabelOwnership === null,
    }),
    by('Make the partner key that was approved', 'issuePartnerKey'),
    by('Read the partner keys that need a second approver', 'partnerKeyRequests'),
    by('Approve or reject the partner key of another person', 'approvePartnerKeyRequest rejectPartnerKeyRequest', {
      policy: (person) => refusalToDecide(person, another) === null,
    }),
    by('Withdraw one’s own request for a partner key', 'withdrawPartnerKeyRequest'),
    by('Revoke a partner key', 'revokePartnerKey'),
    by('Create a sub-key', 'createApiKey'),
    by('Revoke a sub-key', 'revokeApiKey'),
  ],
  'People and partners': [
    by('See who one is', 'me', { isOwnMatter: true }),
    by('See and end one’s own sessions', 'Me.sessions endMySession endMyOtherSessions', { isOwnMatter: true }),
    by('Ask whether a change of people would be allowed', 'assignRolePermission managePartnerStaffPermission', {
      isOwnMatter: true,
    }),
    by('Find users', 'users findUser'),
    by('Invite staff of a partner', 'inviteStaff', inStaff('invite')),
    by('Read the open invitations of a partner', 'openInvitations', inStaff('invite')),
    by('Resend an invitation', 'resendStaffInvitation', inStaff('resend-invitation')),
    by('Change the roles of staff', 'setStaffRoles', inStaff('set-roles')),
    by('Revoke staff', 'revokeStaff', inStaff('revoke')),
    by('Delete staff', 'deleteStaff', inStaff('delete')),
    by('Read partners, their invitations and organizations', 'partners partner partnerStaff'),
    by('Read organizations', 'organizations partnerOrganizations'),
    by(
      'Edit a partner',
      'updatePartner',
      decided((person) => canUpdatePartner(person, {})),
    ),
    by(
      'Offboard a partner',
      'updatePartner',
      decided((person) => canUpdatePartner(person, { status: 'offboarded' })),
    ),
    by('Create and archive a partner', 'createPartner archivePartner', decided(canAdministerPlatform)),
    by('Move an organization to a partner', 'assignOrganizationToPartner', decided(canAdministerPlatform)),
    by(
      'Give internal roles, move a person to a partner',
      'setInternalUserRoles setUserPartnerScope',
      decided(canAdministerPlatform),
    ),
    by('Read the sessions of another person', 'userSessions'),
    by('End the sessions of another person', 'endUserSessions'),
    by('Reset the second factor of a person', 'resetSecondFactor'),
  ],
  'Audit log and operation': [
    by('Read the audit log', 'auditLog Account.auditEntries Payment.auditEntries'),
    by('Read the head of the audit log', 'AuditPage.head'),
    by('Read the result of the ledger’s verification, verify it', 'ledgerCheck ledgerVerification'),
    by('Read card testing alerts', 'cardTestingAlerts'),
    by('Read events of processors that were not applied', 'unappliedProcessorEvents'),
    by('Read jobs', 'jobs'),
    by('Run a job now', 'runJob'),
  ],
};

const named = (names: string): string[] => names.trim().split(/\s+/);

/** Fields of the graph with a number that cannot come beyond what their type holds, by the reason. */
export const bounded = {
  'an amount of one object, at most 99,999,999,999, which inputs and checks of the tables hold it to': named(`
    ClientSession.amount CustomerSubscription.amount Order.amount OrderItem.unitAmount Payment.amount
    Payment.capturedAmount Payment.refundedAmount Price.amount Refund.amount RefundLimit.amount RefundLimit.nextAmount RefundRequest.amount
    Transaction.amount`),
  'the least of such an amount and others': named(`
    Payment.refundableWithoutApproval UpcomingCharge.amount DeferredCharge.amount`),
  'an input or a setting with a bound': named(`
    BlockRule.ttlHours Card.expMonth Card.expYear CustomerSubscription.intervalCount FunnelEdge.priority
    OrganizationSlice.limit OrganizationSlice.offset Page.page Page.pageSize PluginAsset.size PluginDeployment.assetBytes
    PluginDeployment.assetCount Price.intervalCount Price.trialDays UserSlice.limit UserSlice.offset
    Job.everyMs`),
  'counted up to a bound, or of one call with a bound': named(`
    EndedSessions.endedCount Export.rows Export.rowsMax Job.backlog WebhookEndpoint.deadCount
    WebhookEndpoint.failedCount WebhookEndpoint.openCount WebhookRedelivery.redelivered`),
  'changes or attempts of one object, one after the other': named(`
    Event.sequence Funnel.version FunnelSession.funnelVersion WebhookDelivery.attemptCount
    UnappliedEvent.attempts PluginConfiguration.rolledBackTo PluginConfiguration.version
    PluginInstance.configVersion TestClock.stepsDone UpdatedPluginConfig.configVersion`),
  'people, partners and what they set up by hand': named(`
    AuditVerification.anchors OrganizationSlice.total PartnerList.total PartnerStaffList.total
    PartnerSummary.merchantCount PartnerSummary.orgCount PartnerSummary.staffCount UserSlice.total`),
  'calls of one day, which the rate of a key bounds': named('CardTestingAlert.refusals'),
  'a list in the memory of the process': named('LedgerCheck.differenceCount LedgerVerification.differenceCount'),
  'a time: 2^31 seconds are 68 years, as milliseconds 24 days of one run': named(`
    KybQueueEntry.waitingSeconds Job.lastDurationMs JobRun.durationMs WebhookAttempt.durationMs`),
  'runs of one process, one after the other': named('Job.failures Job.runs'),
  'a status of HTTP': named('WebhookAttempt.status'),
} as const;

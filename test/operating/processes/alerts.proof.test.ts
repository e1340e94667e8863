import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

/** The program that PROMTOOL names, or Debian's; null if there is none, unless PROMTOOL says that there must be. */
const promtool = process.env['PROMTOOL'] ?? (existsSync('/usr/bin/promtool') ? '/usr/bin/promtool' : null);
const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'self-hosting', 'observability', 'alerts.yaml');

interface Rule {
  alert: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
const rules = (parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

/** Series of two hours, a value a minute, in the notation of promtool: the first value, the step, how many follow. */
type Series = Readonly<Record<string, string>>;
const minutes = 120;
const steady = (value: number | string): string => `${value}+0x${minutes}`;
const growing = (aMinute: number): string => `0+${aMinute}x${minutes}`;

const durations = 'platform_request_duration_seconds';
const processors = 'platform_processor_call_duration_seconds_count{type="stripe",outcome';
const charges = 'platform_charges_total{mode="live",code="none",outcome';
const due = 'platform_job_oldest_due_seconds{job="platform",exported_job';

/** A platform at which nothing is wrong. */
const healthy: Series = {
  'up{job="platform"}': steady(1),
  'platform_request_errors_total{surface="public"}': growing(1),
  [`${durations}_count{surface="public"}`]: growing(6_000),
  [`${durations}_bucket{surface="public",le="0.5"}`]: growing(6_000),
  [`${durations}_bucket{surface="public",le="5"}`]: growing(6_000),
  [`${durations}_bucket{surface="public",le="+Inf"}`]: growing(6_000),
  [`${processors}="unknown"}`]: growing(1),
  [`${charges}="succeeded"}`]: growing(90),
  [`${charges}="declined"}`]: growing(10),
  platform_webhook_oldest_due_seconds: steady(10),
  'platform_requests{state="waiting"}': steady(1),
  'platform_database_connections{state="waiting"}': steady(1),
  platform_database_unavailable: steady(0),
  platform_vault_unavailable: steady(0),
  'platform_replica_reads_total{server="primary"}': steady(5),
  platform_replica_lag_seconds: steady(1),
  platform_clock_offset_seconds: steady(-0.5),
  nodejs_eventloop_lag_p99_seconds: steady(0.02),
  'process_start_time_seconds{job="platform"}': steady(1_000),
  platform_identity_mirror_repaired_total: steady(3),
  [`${due}="resolve-unknown-payments"}`]: steady(20),
  [`${due}="renew-subscriptions"}`]: steady(2),
  [`${due}="erase-deleted-cards"}`]: steady(900),
  [`${due}="purge-unclaimed-cards"}`]: steady(900),
  [`${due}="expire-challenges"}`]: steady(5),
  [`${due}="deliver-webhooks"}`]: steady(100),
  platform_backup_age_seconds: growing(60),
};
const without = null;

/** What goes wrong for each alert, and the labels that it has beside its severity. */
const faults: Record<string, { series: Record<string, string | null>; labels?: Record<string, string> }> = {
  PlatformDown: { series: { 'up{job="platform"}': steady(0) }, labels: { job: 'platform' } },
  HighErrorRate: { series: { 'platform_request_errors_total{surface="public"}': growing(120) } },
  SlowCalls: { series: { [`${durations}_bucket{surface="public",le="0.5"}`]: growing(5_000) } },
  OutcomesUnknown: { series: { [`${processors}="unknown"}`]: growing(3) }, labels: { type: 'stripe' } },
  FewChargesSucceed: { series: { [`${charges}="declined"}`]: growing(100) } },
  WebhooksLate: { series: { platform_webhook_oldest_due_seconds: steady(301) } },
  RequestsQueued: { series: { 'platform_requests{state="waiting"}': steady(11) } },
  ConnectionsQueued: { series: { 'platform_database_connections{state="waiting"}': steady(11) } },
  DatabaseUnavailable: { series: { platform_database_unavailable: steady(1) } },
  VaultUnavailable: { series: { platform_vault_unavailable: steady(1) } },
  ReplicaNotUsed: { series: { 'platform_replica_reads_total{server="primary"}': growing(1) } },
  ReplicaBehind: { series: { platform_replica_lag_seconds: steady('Inf') } },
  ClockSkew: { series: { platform_clock_offset_seconds: steady(-2.1) } },
  EventLoopLate: { series: { nodejs_eventloop_lag_p99_seconds: steady(0.3) } },
  FrequentRestarts: {
    series: { 'process_start_time_seconds{job="platform"}': growing(60) },
    labels: { job: 'platform' },
  },
  IdentityMirrorDrifts: { series: { platform_identity_mirror_repaired_total: growing(1) } },
  OutcomesLate: { series: { [`${due}="resolve-unknown-payments"}`]: steady(901) } },
  RenewalsLate: { series: { [`${due}="renew-subscriptions"}`]: steady(301) } },
  CardsNotErased: { series: { [`${due}="erase-deleted-cards"}`]: steady(7_201) } },
  JobLate: {
    series: { [`${due}="expire-challenges"}`]: steady(3_601) },
    labels: { exported_job: 'expire-challenges' },
  },
  BackupOld: { series: { platform_backup_age_seconds: steady(93_601) } },
  BackupMissing: { series: { platform_backup_age_seconds: without } },
};

test('each alert has a fault that makes it fire', () => {
  expect(Object.keys(faults)).toEqual(rules.map(({ alert }) => alert));
});

describe.skipIf(promtool === null)(
  'the alerts, as promtool evaluates them (apt-get install prometheus, or PROMTOOL)',
  () => {
    test('the file of the rules is valid', async () => {
      expect((await promisify(execFile)(promtool ?? '', ['check', 'rules', file])).stdout).toContain('SUCCESS');
    });

    test('none fires while nothing is wrong', () => evaluate(healthy, null));

    test.each(Object.entries(faults))('%s fires alone, with its sentence', async (alert, { series, labels }) => {
      const wrong = Object.entries({ ...healthy, ...series }).filter((one): one is [string, string] => one[1] !== null);
      await evaluate(Object.fromEntries(wrong), { alert, labels });
    });
  },
);

/** Throws unless after two hours exactly this alert fires, or none. */
async function evaluate(
  series: Series,
  firing: { alert: string; labels?: Record<string, string> | undefined } | null,
): Promise<void> {
  const expected = ({ alert, labels, annotations }: Rule) =>
    alert === firing?.alert ? [{ exp_labels: { ...labels, ...firing.labels }, exp_annotations: annotations }] : [];
  const folder = mkdtempSync(join(tmpdir(), 'platform-alerts-'));
  const tests = {
    rule_files: [file],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: rules.map((rule) => ({
          eval_time: `${minutes}m`,
          alertname: rule.alert,
          exp_alerts: expected(rule),
        })),
      },
    ],
  };
  try {
    // JSON is YAML.
    writeFileSync(join(folder, 'tests.yaml'), JSON.stringify(tests));
    await promisify(execFile)(promtool ?? '', ['test', 'rules', join(folder, 'tests.yaml')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

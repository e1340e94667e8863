import { Status } from '../ui/status.tsx';

interface Health {
  enabled: boolean;
  disabledReason: string | null;
  failingSince: string | null;
}

const reasons: Readonly<Record<string, string>> = {
  manual: 'disabled',
  gone: 'disabled: responded 410',
  failing: 'disabled: failed for 5 days',
};

/** Whether what is sent to an endpoint arrives. */
export function EndpointHealth({ of: { enabled, disabledReason, failingSince } }: { of: Health }) {
  if (!enabled)
    return <Status of="dead" detail={reasons[disabledReason ?? 'manual'] ?? `disabled: ${disabledReason}`} />;
  return failingSince ? <Status of="failed" detail="failing" /> : <Status of="active" detail="healthy" />;
}

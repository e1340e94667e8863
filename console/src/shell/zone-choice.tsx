import { NativeSelect } from '@mantine/core';
import { browserZone, setTimeZone, useTimeZone, zoneName } from '../ui/time-zone.ts';

/** The time zone of everything that is shown and filtered by. It is there if this browser is not in UTC itself. */
export function ZoneChoice() {
  const zone = useTimeZone();
  const zones = [...new Set(['UTC', browserZone, zone])];
  return (
    <NativeSelect
      size="xs"
      aria-label="Time zone"
      value={zone}
      onChange={({ currentTarget }) => setTimeZone(currentTarget.value)}
      data={zones.map((value) => ({ value, label: zoneName(value) }))}
      visibleFrom="xs"
    />
  );
}

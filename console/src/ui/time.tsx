import { Tooltip } from '@mantine/core';
import { serverNow } from '../graph/server-time.ts';
import { distance, exactTime, localTime } from './format.ts';
import { timeZone } from './time-zone.ts';

/** A moment in the chosen time zone. Its seconds, and UTC, are shown on hover and to the keyboard. */
export function Time({ at, far = false }: { at: string | null | undefined; far?: boolean }) {
  if (!at) return <span>–</span>;
  return (
    <Tooltip
      label={timeZone() === 'UTC' ? utcTime(at) : `${exactTime(at)}, ${utcTime(at)}`}
      events={{ hover: true, focus: true, touch: true }}
    >
      <time dateTime={at}>
        <span className="figures">
          {localTime(at)}
          {far && ' ·'}
        </span>
        {far && (
          <>
            {' '}
            <span className="figures">{distance(at, serverNow())}</span>
          </>
        )}
      </time>
    </Tooltip>
  );
}

const utcTime = (at: string): string => `${at.replace('T', ' ').replace('Z', '')} UTC`;

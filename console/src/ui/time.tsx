import { Tooltip } from '@mantine/core';
import { serverNow } from '../graph/server-time.ts';
import { distance, localTime } from './format.ts';

/** A moment in the time zone of the browser. UTC is shown on hover and to the keyboard. */
export function Time({ at, far = false }: { at: string | null | undefined; far?: boolean }) {
  if (!at) return <span>–</span>;
  return (
    <Tooltip label={`${at.replace('T', ' ').replace('Z', '')} UTC`} events={{ hover: true, focus: true, touch: true }}>
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

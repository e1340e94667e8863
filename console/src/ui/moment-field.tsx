import { TextInput, type TextInputProps } from '@mantine/core';
import { momentOf, useTimeZone, zoneName } from './time-zone.ts';

interface MomentFieldProps extends Pick<TextInputProps, 'description' | 'required'> {
  label: string;
  /** For example `2026-01-31T10:00`, in the chosen time zone. */
  value: string;
  onChange(value: string): void;
}

/** A field for a day and a time, which names the time zone. */
export function MomentField({ label, onChange, ...field }: MomentFieldProps) {
  return (
    <TextInput
      {...field}
      type="datetime-local"
      label={`${label} (${zoneName(useTimeZone())})`}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** The moment of such a field. What is none is refused before anything is sent. */
export function isoOf(text: string): string {
  const moment = momentOf(text);
  if (!moment) throw new Error('Choose a day and a time.');
  return moment.toISOString();
}

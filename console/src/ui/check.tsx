import { Group } from '@mantine/core';
import type { ComponentProps } from 'react';

interface CheckProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange'> {
  /** What is beside it. Without one, `aria-label` says what it is. */
  label?: string;
  isMixed?: boolean;
  onChange(isChecked: boolean): void;
}

/** A checkbox of the browser: that of the component library is too large for the first load. */
export function Check({ label, isMixed = false, onChange, ...input }: CheckProps) {
  const box = (
    <input
      type="checkbox"
      className="check"
      ref={(element) => {
        if (element) element.indeterminate = isMixed;
      }}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      {...input}
    />
  );
  if (label === undefined) return box;
  return (
    <Group component="label" gap="xs" wrap="nowrap" fz="sm">
      {box}
      {label}
    </Group>
  );
}

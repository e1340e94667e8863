import { Checkbox, Stack, Text } from '@mantine/core';

interface RolesFieldProps<Role extends string> {
  /** The roles that are offered. */
  of: readonly Role[];
  /** The roles before the change. */
  before: readonly string[];
  roles: readonly Role[];
  onChange(roles: Role[]): void;
}

const list = (roles: readonly string[]): string => roles.join(', ') || 'none';

/** The roles of a user as checkboxes, and below them the change: `hubadmin → hubadmin, superadmin`. */
export function RolesField<Role extends string>({ of, before, roles, onChange }: RolesFieldProps<Role>) {
  return (
    <Checkbox.Group
      label="Roles"
      value={[...roles]}
      onChange={(values) => onChange(of.filter((role) => values.includes(role)))}
    >
      <Stack gap="xs" mt={4}>
        {of.map((role) => (
          <Checkbox key={role} value={role} label={role} />
        ))}
        <Text size="sm" role="status">
          {list(before)} → {list(roles)}
        </Text>
      </Stack>
    </Checkbox.Group>
  );
}

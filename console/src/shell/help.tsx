import { Kbd, Modal, Stack, Switch, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useShortcut, useShortcutsOn } from '../ui/shortcuts.ts';

const keys: readonly (readonly [key: string, does: string])[] = [
  ['Ctrl K', 'Search'],
  ['/', 'Search'],
  ['J', 'Next row of a list'],
  ['K', 'Previous row of a list'],
  ['Enter', 'Open the row'],
  ['X', 'Select the row'],
  ['E', 'Export the list'],
  ['R', 'Refund the payment'],
  ['?', 'This help'],
];

/** Shows the keys of the console at `?`, and lets a person turn the single ones off. */
export function KeyboardHelp() {
  const [isOpen, dialog] = useDisclosure();
  const [isOn, setIsOn] = useShortcutsOn();
  useShortcut('shift+?', dialog.open);
  return (
    <Modal
      opened={isOpen}
      onClose={dialog.close}
      title="Keyboard shortcuts"
      keepMounted={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Table>
          <Table.Tbody>
            {keys.map(([key, does]) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" w={90}>
                  <Kbd>{key}</Kbd>
                </Table.Th>
                <Table.Td>{does}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label="Single keys"
          description="Keys without Ctrl, outside of fields."
          checked={isOn}
          onChange={({ currentTarget }) => setIsOn(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

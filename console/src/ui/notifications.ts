/** A part of its own, so that it is loaded beside the first page. */
export { Notifications } from '@mantine/notifications';

import './instances/schema.ts';
import './deployments/schema.ts';
import type { Domain } from '../../domain.ts';

export const pluginsDomain = {
  name: 'plugins',
  reference: {
    title: 'Plugins',
    description:
      'Checkout pages of your own, deployed and configured while they are live. Errors have the form ' +
      '`{message, code, issues}`.',
  },
  idPrefixes: { pluginDeployment: 'dep_', pluginInstance: 'pin_', pluginConfiguration: 'pcfg_' },
  eventTypes: ['plugin/deployed', 'plugin/configUpdated'],
} as const satisfies Domain;

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page groups, by the folders of their pages. Each is a file, which is loaded with the first visit of one of its pages. */
const pageGroups: Readonly<Record<string, readonly string[]>> = {
  payments: ['payments', 'refunds', 'disputes'],
  billing: ['customers', 'orders', 'subscriptions'],
  merchants: ['accounts', 'kyb', 'partners'],
  people: ['people'],
  webhooks: ['webhooks'],
  operations: ['operations'],
};

const groupOf = (id: string): string | null => {
  const folder = /\/console\/src\/(\w+)\//.exec(id)?.[1] ?? '';
  return Object.keys(pageGroups).find((name) => pageGroups[name]?.includes(folder)) ?? null;
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Each group has what its files import, unless a group before it has that.
          groups: [
            { name: 'main', test: /\/console\/src\/(main|overview\/overview|payments\/payments)\.tsx$/, priority: 3 },
            // Shown above any page, also where a file of an older version is gone.
            { name: 'notifications', test: /\/console\/src\/ui\/notifications\.ts$/, priority: 2.5 },
            { name: 'details', test: /\/console\/src\/(ui|shell)\/|\/node_modules\//, priority: 2 },
            { name: groupOf, debugName: 'page groups', priority: 1 },
          ],
        },
      },
    },
  },
});

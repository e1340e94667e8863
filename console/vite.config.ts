import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: { target: 'es2024', assetsInlineLimit: 0, reportCompressedSize: true, modulePreload: { polyfill: false } },
});

import { defineConfig } from 'vite'

// The emulator serves the dashboard at /_svc/. `npx vite dashboard` serves the sources, with a proxy to a running emulator.
export default defineConfig({
  base: '/_svc/',
  build: {
    target: 'es2023',
    // Keep fonts and pictures in files, so that the content security policy needs no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The emulator serves the dashboard locally, so one large file loads fast.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Ignore "use client": it only matters to servers that render React.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/_svc/api', '/collections', '/auth-collections', '/storage', '/files', '/realtime', '/openapi.json'].map(
        (path) => [path, { target: process.env.SVC_URL ?? 'http://127.0.0.1:4400', ws: path === '/realtime' }],
      ),
    ),
  },
})

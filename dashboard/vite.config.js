import { defineConfig } from 'vite'

// The dashboard is served below /_svc/ by the emulator; `npx vite dashboard` serves the sources, with a proxy to one that runs.
export default defineConfig({
  base: '/_svc/',
  build: {
    target: 'es2023',
    // Fonts and pictures are files of their own: a policy that allows data in styles allows more than it needs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The emulator serves it to its own machine: one file that is read at once.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // "use client" is for servers that render React.
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

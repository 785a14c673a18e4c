import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { VitePWA } from 'vite-plugin-pwa'
import { defineConfig } from 'vitest/config'
import { guide } from './vite/guide.ts'
import { leanIcons } from './vite/lean-icons.ts'
import { manifest } from './vite/manifest.ts'
import { precompress } from './vite/precompress.ts'
import { scriptBudget } from './vite/script-budget.ts'
import { sharedChunks } from './vite/shared-chunks.ts'
import { sonnerStylesheet } from './vite/sonner-stylesheet.ts'
import { texts } from './vite/texts.ts'
import { towns } from './vite/towns.ts'
import { uplotParts } from './vite/uplot-parts.ts'

const server = process.env.SUNCELLAR_DEV_SERVER ?? 'http://127.0.0.1:8080'

/** Tests without a DOM that need browser APIs. */
const inBrowser = [
  'src/app/service-worker.test.ts',
  'src/features/fleet/{components/use-contact-text,model/columns}.test.ts',
  'src/features/settings/model/cache.test.ts',
  'src/features/update/memory.test.ts',
  'src/lib/{api/client,data/outdated,live/event-stream,offline/offline-cache,passkey/browser,selection,session/*}.test.ts',
]

export default defineConfig({
  plugins: [
    leanIcons(),
    react(),
    texts(),
    tailwindcss(),
    sonnerStylesheet(),
    uplotParts(),
    guide(),
    towns(),
    VitePWA({
      registerType: 'autoUpdate',
      injectRegister: false, // main.tsx registers it: the CSP forbids inline script
      filename: 'sw.js',
      manifest,
      workbox: {
        globPatterns: ['**/*.{js,css,html,svg}', '**/inter-latin-*.woff2'],
        globIgnores: ['guide/**'],
        // The plugin sets these two only when it also writes the registration.
        skipWaiting: true,
        clientsClaim: true,
        navigateFallback: '/index.html',
        navigateFallbackDenylist: [
          /^\/api(\/|$)/,
          /^\/config\.json$/,
          /^\/(healthz|readyz|metrics)$/,
          /^\/demo(\/|$)/,
          /^\/guide\//,
          /^\/\.well-known\//,
        ],
      },
    }),
    scriptBudget(),
    precompress(),
  ],
  resolve: {
    alias: [
      { find: '@', replacement: new URL('./src', import.meta.url).pathname },
      // React includes it since version 18.
      { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
    ],
  },
  server: {
    proxy: Object.fromEntries(['/api', '/config.json', '/demo'].map((path) => [path, server])),
  },
  build: {
    target: 'es2022',
    // Browsers without module preload load modules when they are imported.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // data: addresses would need an opening in the CSP
    rolldownOptions: {
      output: { codeSplitting: { groups: sharedChunks } },
    },
  },
  test: {
    restoreMocks: true,
    // The default leaves one core free, which would be half of two.
    maxWorkers: '100%',
    // For the first chunk of a page on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'rules',
          // They have no global state, so that a worker can run several files.
          isolate: false,
          include: ['src/**/*.test.ts', 'vite/**/*.test.ts'],
          exclude: inBrowser,
        },
      },
      {
        extends: true,
        test: {
          name: 'pages',
          environment: 'happy-dom',
          environmentOptions: { happyDOM: { url: 'http://localhost:3000' } },
          include: ['src/**/*.test.tsx', ...inBrowser],
          setupFiles: ['src/lib/testing/page.ts'],
        },
      },
    ],
  },
})

import { lingui } from '@lingui/vite-plugin'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { VitePWA } from 'vite-plugin-pwa'
import { defineConfig } from 'vitest/config'
import { catalogueParts } from './vite/catalogue-parts.ts'
import { guide } from './vite/guide.ts'
import { leanIcons } from './vite/lean-icons.ts'
import { manifest } from './vite/manifest.ts'
import { precompress } from './vite/precompress.ts'
import { scriptBudget } from './vite/script-budget.ts'
import { sharedChunks } from './vite/shared-chunks.ts'
import { sonnerStylesheet } from './vite/sonner-stylesheet.ts'
import { textInRem } from './vite/text-in-rem.ts'
import { towns } from './vite/towns.ts'
import { uplotParts } from './vite/uplot-parts.ts'

const server = process.env.SUNCELLAR_DEV_SERVER ?? 'http://127.0.0.1:8080'

/** Tests of what a browser keeps and does, which need one although they draw nothing. */
const inBrowser = [
  'src/app/service-worker.test.ts',
  'src/features/fleet/{components/use-contact-text,model/columns}.test.ts',
  'src/features/settings/model/cache.test.ts',
  'src/features/update/memory.test.ts',
  'src/lib/{api/client,live/event-stream,offline/keep-answers,passkey/browser,selection,session/*}.test.ts',
]

export default defineConfig({
  plugins: [
    leanIcons(),
    react(),
    lingui(),
    catalogueParts(),
    tailwindcss(),
    textInRem(),
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
      // React has it itself since version 18.
      { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
    ],
  },
  server: {
    proxy: Object.fromEntries(['/api', '/config.json', '/demo'].map((path) => [path, server])),
  },
  build: {
    target: 'es2022',
    // A browser that cannot load ahead loads when it comes to it.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // data: addresses would need an opening in the CSP
    rolldownOptions: {
      output: { codeSplitting: { groups: sharedChunks } },
    },
  },
  test: {
    restoreMocks: true,
    // One core is left free otherwise: of two, half.
    maxWorkers: '100%',
    // A busy machine takes its time for the first chunk of a page.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What passes only now is a defect to mend, but none of the change under test.
    retry: 1,
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'rules',
          // They keep nothing, so that a worker takes file after file.
          isolate: false,
          include: ['src/**/*.test.ts', 'vite/**/*.test.ts'],
          exclude: inBrowser,
          setupFiles: ['src/lib/testing/texts.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'pages',
          environment: 'happy-dom',
          environmentOptions: { happyDOM: { url: 'http://localhost:3000' } },
          include: ['src/**/*.test.tsx', ...inBrowser],
          setupFiles: ['src/lib/testing/texts.ts', 'src/lib/testing/page.ts'],
        },
      },
    ],
  },
})

import { defineConfig } from '@playwright/test'
import { findChromium } from './e2e/harness/programs.ts'

/** These wait for batteries and for the clock most of the time, and leave the processor to others meanwhile. */
const WAITING = [
  'alarms',
  'commissioning',
  'engines',
  'plan',
  'prices',
  'replace',
  'update-several',
  'update',
]

const files = WAITING.map((name) => `**/${name}.spec.ts`)

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/browser',
  globalSetup: './e2e/harness/preconditions.ts',
  workers: 3,
  projects: [
    { name: 'waiting', testMatch: files, workers: 1 },
    { name: 'pages', testIgnore: files, workers: 2 },
  ],
  // A flaky test is a defect.
  retries: 0,
  // Long enough for two busy cores; what is right does not wait for it.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    locale: 'de-DE',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1440, height: 900 },
    // A worker between page and network would hide requests from the tests; its own tests let it in.
    serviceWorkers: 'block',
    // What moves costs a third of a core on the dashboard, and what is still fading in has the wrong contrast.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // Costs a third of the time: asked for by TRACE=1 when a failure needs explaining.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: findChromium(),
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
})

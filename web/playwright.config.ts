import { defineConfig } from '@playwright/test'
import { findChromium } from './e2e/harness/programs.ts'

/** Files that mostly wait for batteries and the clock, and leave the CPU to others. */
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
  // Long enough for two busy cores.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    locale: 'de-DE',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1440, height: 900 },
    // A worker between page and network would hide requests from the tests; its own tests allow it.
    serviceWorkers: 'block',
    // Animations cost a third of a core on the dashboard, and fading elements have the wrong contrast.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // Costs a third of the time; TRACE=1 records traces to explain a failure.
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

import { defineConfig } from '@playwright/test'
import { findChromium } from './e2e/harness/programs.ts'

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/browser',
  globalSetup: './e2e/harness/preconditions.ts',
  workers: 2,
  // As in .config/nextest.toml: a second try, on a new server, and the first one's failure is printed as flaky.
  retries: 1,
  // Long enough for two busy cores; what is right does not wait for it.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    locale: 'de-DE',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1440, height: 900 },
    // A worker between page and network would hide requests from the tests; its own tests let it in.
    serviceWorkers: 'block',
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

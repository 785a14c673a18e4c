import { defineConfig } from '@playwright/test'
import base from '../playwright.config.ts'

/**
 * `npm run bench`, which `bench/run browser` and `bench/run electrician` call with a file. Not a test, but it
 * needs the same browser and server.
 */
// biome-ignore lint/style/noDefaultExport: Playwright reads the default export
export default defineConfig({
  ...base,
  projects: undefined,
  use: { ...base.use, contextOptions: { reducedMotion: 'no-preference' } },
  testDir: '.',
  testMatch: ['bench.ts', 'fleet-speed.ts'],
  globalSetup: './harness/preconditions.ts',
  outputDir: '../test-results/bench',
  reporter: 'line',
  workers: 1,
  fullyParallel: false,
  timeout: 180_000,
})

import { defineConfig } from '@playwright/test'
import base from '../playwright.config.ts'

/** `npm run soak`, which `make soak` calls: the long browser tests. */
// biome-ignore lint/style/noDefaultExport: Playwright reads the default export
export default defineConfig({
  ...base,
  projects: undefined,
  testDir: '.',
  testMatch: '**/*.soak.ts',
  globalSetup: './harness/preconditions.ts',
  outputDir: '../test-results/soak',
  reporter: 'list',
})

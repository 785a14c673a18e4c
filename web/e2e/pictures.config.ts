import { defineConfig } from '@playwright/test'
import base from '../playwright.config.ts'

/** `npm run pictures`: not a test, but it needs the same browser and server. */
// biome-ignore lint/style/noDefaultExport: Playwright reads the default export
export default defineConfig({
  ...base,
  projects: undefined,
  use: { ...base.use, contextOptions: { reducedMotion: 'no-preference' } },
  testDir: '.',
  testMatch: ['pictures.ts', 'guide-pictures.ts'],
  globalSetup: './harness/preconditions.ts',
  outputDir: '../test-results/pictures',
  reporter: 'list',
})

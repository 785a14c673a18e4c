/** `test` with a page in Firefox or WebKit. Where their programs are missing the test is skipped, and says so. */
import { EnginePage } from './engine-page.ts'
import { test as base } from './test.ts'
import { type Engine, launch, missingFor } from './webdriver.ts'

/** @param language of the machine, such as `en_US.UTF-8` */
type Visit = (engine: Engine, language?: string) => Promise<EnginePage>

export const test = base.extend<{ visit: Visit }>({
  visit: async ({ server }, use, info) => {
    const closings: (() => Promise<void>)[] = []
    await use(async (engine, language) => {
      const missing = missingFor(engine)
      // The beginning of the sentence is read by scripts/check-spec-coverage.
      test.skip(missing.length > 0, `not installed: ${missing.join(', ')}; run scripts/install-tools`)
      const driver = await launch(engine, language)
      closings.push(driver.close)
      return new EnginePage(driver, server.url)
    })
    for (const close of closings) await close()
    if (info.status !== info.expectedStatus) await info.attach('server.txt', { body: server.output })
  },
})

/** `test` with a page in Firefox or WebKit. Skipped with a message if their programs are missing. */
import { EnginePage } from './engine-page.ts'
import { test as base } from './test.ts'
import { type Engine, launch, missingFor } from './webdriver.ts'

/** @param language the machine's locale, such as `en_US.UTF-8` */
type Visit = (engine: Engine, language?: string) => Promise<EnginePage>

export const test = base.extend<{ visit: Visit }>({
  visit: async ({ server }, use, info) => {
    const closings: (() => Promise<void>)[] = []
    await use(async (engine, language) => {
      const missing = missingFor(engine)
      // scripts/check-spec-coverage reads the beginning of this message.
      test.skip(missing.length > 0, `not installed: ${missing.join(', ')}; run scripts/install-tools`)
      const driver = await launch(engine, language)
      closings.push(driver.close)
      return new EnginePage(driver, server.url)
    })
    for (const close of closings) await close()
    if (info.status !== info.expectedStatus) await info.attach('server.txt', { body: server.output })
  },
})

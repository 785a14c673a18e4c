/**
 * The app in Firefox, and in WebKit, the engine of every browser on an iPhone. engines.soak.ts has the long
 * journeys.
 */
import { ONE } from './harness/chart.ts'
import { test } from './harness/engine-test.ts'
import { text } from './harness/texts.ts'
import { ENGINES } from './harness/webdriver.ts'

for (const engine of ENGINES)
  test(`${engine} shows dashboard, chart, calendar and update, each as the first page and after another`, async ({
    visit,
  }) => {
    const page = await visit(engine)
    await page.logIn(ONE)
    await page.seesPage(text('nav.dashboard'))
    // Leaving a page at once must not block the next one's access to the database.
    await page.reload()
    await page.seesPage(text('nav.dashboard'))
    await page.open('/charts')
    await page.seesPage(text('charts.title'))
    await page.open('/calendar')
    await page.seesPage(text('calendar.title'))
    await page.open('/update')
    await page.seesPage(text('nav.update'))
  })

/**
 * Every page of an owner and an electrician in Firefox and WebKit, each loaded twice; and a setting that
 * reaches its battery.
 */
import { ONE } from './harness/chart.ts'
import type { EnginePage } from './harness/engine-page.ts'
import { test } from './harness/engine-test.ts'
import { type Account, PASSWORD } from './harness/server.ts'
import { type MessageId, text } from './harness/texts.ts'
import { ENGINES } from './harness/webdriver.ts'

const ELECTRICIAN: Account = { email: 'electrician@example.com', password: PASSWORD, role: 'electrician' }

const OWNERS: [string, MessageId][] = [
  ['/dashboard', 'nav.dashboard'],
  ['/charts', 'charts.title'],
  ['/charts?interval=Month', 'charts.title'],
  ['/calendar', 'calendar.title'],
  ['/plan', 'plan.title'],
  ['/alarms', 'nav.alarms'],
  ['/update', 'nav.update'],
  ['/settings', 'nav.settings'],
  ['/settings?part=prices', 'nav.settings'],
  ['/settings?part=grants', 'nav.settings'],
  ['/settings?part=journal', 'nav.settings'],
  ['/settings?part=account', 'nav.settings'],
]

const ELECTRICIANS: [string, MessageId][] = [
  ['/electrician-dashboard', 'nav.fleet'],
  ['/electrician-settings', 'nav.settings'],
  ['/electrician-settings?part=systems', 'nav.settings'],
  ['/electrician-settings?part=grants', 'nav.settings'],
]

async function loadEachTwice(page: EnginePage, pages: [string, MessageId][]) {
  for (const [path, title] of pages) {
    await page.open(path)
    await page.seesPage(text(title))
    await page.reload()
    await page.seesPage(text(title))
  }
}

for (const engine of ENGINES) {
  test(`an owner in ${engine} loads every page, and loads it again`, async ({ visit }) => {
    test.slow()
    const page = await visit(engine)
    await page.logIn(ONE)
    await page.seesPage(text('nav.dashboard'))
    await loadEachTwice(page, OWNERS)
  })

  test(`an electrician in ${engine} loads every page, and loads it again`, async ({ visit }) => {
    test.slow()
    const page = await visit(engine)
    await page.logIn(ELECTRICIAN)
    await page.seesPage(text('nav.fleet'))
    await loadEachTwice(page, ELECTRICIANS)
  })

  test(`a setting made in ${engine} reaches its battery`, async ({ visit }) => {
    const page = await visit(engine)
    await page.logIn(ONE)
    await page.seesPage(text('nav.dashboard'))
    await page.open('/settings')
    await page.seesPage(text('nav.settings'))
    await page.fill(text('setting.reserve_soc'), '17')
    await page.press(text('settings.review'))
    await page.press(text('settings.send'))
    await page.sees(text('settings.state.applied.text'))
    await page.reload()
    await page.seesPage(text('nav.settings'))
    await page.sees(text('settings.state.applied.text'))
  })
}

test('webkit draws the chart on a machine without a language', async ({ visit }) => {
  const page = await visit('webkit', 'C.UTF-8')
  await page.logIn(ONE)
  await page.seesPage(text('nav.dashboard'))
  await page.open('/charts')
  await page.seesPage(text('charts.title'))
})

/** The illustrated guides, which are static pages beside the app. */
import { beLoggedIn, heading } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

const READERS = [
  { who: 'an owner', language: 'de', title: 'Suncellar für Besitzer' },
  { who: 'an electrician', language: 'pl', title: 'Suncellar for electricians' },
] as const

for (const { who, language, title } of READERS)
  test(`the footer links ${who} to a guide in their language, with its pictures`, async ({
    page,
    server,
  }) => {
    const account = who === 'an owner' ? await server.newOwner() : await server.newElectrician()
    await beLoggedIn(page, server, account)
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
    await page.goto('/')
    const link = page.getByRole('contentinfo').getByRole('link', { name: text('footer.guide', {}, language) })
    const [guide] = await Promise.all([page.waitForEvent('popup'), link.click()])
    await expect(heading(guide)).toHaveText(title)
    const pictures = await guide
      .getByRole('img')
      .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth))
    expect(pictures.length).toBeGreaterThan(0)
    expect(pictures).not.toContain(0)
  })

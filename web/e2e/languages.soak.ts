/**
 * Every screen in every language, in both themes: axe (checks 41). screens.spec.ts has German, at both sizes.
 */
import { expectAccessibleInBothThemes } from './harness/axe.ts'
import { addressOf, logInAs, open, SCREENS, setPreferences, VISITORS } from './harness/screens.ts'
import { test } from './harness/test.ts'
import { LANGUAGES } from './harness/texts.ts'

for (const language of LANGUAGES)
  for (const visitor of VISITORS)
    test(`every page for the visitor ${visitor} is accessible in ${language}`, async ({ page, server }) => {
      await logInAs(page, server, visitor)
      if (visitor === 'guest') await page.goto('/healthz')
      await setPreferences(page, { language })
      for (const screen of SCREENS.filter((one) => one.visitor === visitor))
        await test.step(screen.path, async () => {
          await open(page, addressOf(screen, server))
          await expectAccessibleInBothThemes(page)
        })
    })

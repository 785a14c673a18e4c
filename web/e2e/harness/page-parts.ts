/**
 * A page is used once its parts are there, as people do. A part that comes later moves the others, and a press that began before
 * hits nothing: Chromium clicks what was below the mouse both when it went down and when it came up.
 */
import type { BrowserContext, Page } from '@playwright/test'

/** A page that is not complete by then is what its test is about. */
const LONGEST_WAIT = 5_000

/** Lets the pages of a context wait for their parts after each navigation by a test. */
export function waitForParts(context: BrowserContext) {
  context.on('page', (page) => {
    page.goto = thenParts(page, page.goto)
    page.reload = thenParts(page, page.reload)
    page.waitForURL = thenParts(page, page.waitForURL)
  })
}

const thenParts =
  <Arguments extends unknown[], Result>(page: Page, navigate: (...args: Arguments) => Promise<Result>) =>
  async (...args: Arguments): Promise<Result> => {
    const result = await navigate.apply(page, args)
    await partsOf(page)
    return result
  }

/** Whatever page it is: one that is not ours has no parts. */
const partsOf = (page: Page) =>
  page
    .waitForFunction(
      () =>
        document.querySelector('#root') === null ||
        (document.querySelector('h1') !== null && document.querySelector('[aria-busy=true]') === null),
      undefined,
      { timeout: LONGEST_WAIT },
    )
    .catch(() => undefined)

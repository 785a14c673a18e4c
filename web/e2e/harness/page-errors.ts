import type { BrowserContext } from '@playwright/test'

/** Chromium logs this for every answer of 400 and above, which tests check themselves. */
const REFUSED_ANSWER = /^Failed to load resource/

/** Collects the errors of a test's pages: exceptions, console errors, CSP violations. */
export class PageErrors {
  private readonly seen: string[] = []
  private readonly expected = [REFUSED_ANSWER]

  /** For an error that a test causes on purpose. */
  expect(pattern: RegExp) {
    this.expected.push(pattern)
  }

  /** All errors, expected or not. */
  all(): readonly string[] {
    return this.seen
  }

  found(): string[] {
    return this.seen.filter((complaint) => !this.expected.some((pattern) => pattern.test(complaint)))
  }

  async watch(context: BrowserContext) {
    context.on('weberror', (error) => this.seen.push(String(error.error())))
    context.on('console', (message) => {
      if (message.type() === 'error') this.seen.push(message.text())
    })
    await context.addInitScript(() =>
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
        // biome-ignore lint/suspicious/noConsole: the console is how it reaches the test
        console.error(`CSP violation: ${violatedDirective} ${blockedURI} ${sample}`),
      ),
    )
  }
}

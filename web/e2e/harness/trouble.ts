import type { BrowserContext } from '@playwright/test'

/** Chromium says this of every answer of 400 and above; tests look at such answers themselves. */
const REFUSED_ANSWER = /^Failed to load resource/

/** Collects what the pages of a test complain about: broken scripts, errors on the console, the CSP. */
export class Trouble {
  private readonly heard: string[] = []
  private readonly expected = [REFUSED_ANSWER]

  /** For a complaint that a test brings about on purpose. */
  expect(pattern: RegExp) {
    this.expected.push(pattern)
  }

  /** Everything that was heard, expected or not. */
  all(): readonly string[] {
    return this.heard
  }

  found(): string[] {
    return this.heard.filter((complaint) => !this.expected.some((pattern) => pattern.test(complaint)))
  }

  async watch(context: BrowserContext) {
    context.on('weberror', (error) => this.heard.push(String(error.error())))
    context.on('console', (message) => {
      if (message.type() === 'error') this.heard.push(message.text())
    })
    await context.addInitScript(() =>
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
        // biome-ignore lint/suspicious/noConsole: the console is how it reaches the test
        console.error(`CSP violation: ${violatedDirective} ${blockedURI} ${sample}`),
      ),
    )
  }
}

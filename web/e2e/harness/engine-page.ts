/** A page in Firefox or WebKit, controlled by the texts on screen. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Account } from './server.ts'
import { text } from './texts.ts'
import type { Driver } from './webdriver.ts'

/** WebDriver's key of an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** Twice that of the other browser tests: these engines render everything, beside other tests. */
const TIMEOUT = 90_000

const FAILURES = [text('failure.title'), text('failure.chunk')]

export class EnginePage {
  constructor(
    private readonly driver: Driver,
    private readonly origin: string,
  ) {}

  async logIn({ email, password, role }: Account) {
    await this.open('/login')
    if (role === 'electrician') await this.press(text('role.electrician'))
    await this.fill(text('form.email'), email)
    await this.fill(text('form.password'), password)
    await this.press(text('login.submit'))
  }

  /** Loads this path. */
  async open(path: string) {
    await this.driver.send('WebDriver:Navigate', { url: this.origin + path })
  }

  async reload() {
    await this.driver.send('WebDriver:Refresh')
  }

  /** Clicks a button, a link, or the label of a choice. */
  async press(name: string) {
    await this.driver.send('WebDriver:ElementClick', { id: await this.find('button', name) })
  }

  async fill(label: string, value: string) {
    const id = await this.find('field', label)
    await this.driver.send('WebDriver:ElementClear', { id })
    await this.driver.send('WebDriver:ElementSendKeys', { id, text: value })
  }

  /** Waits until the page contains these texts. */
  async sees(...texts: string[]) {
    await this.until(texts.join(', '), async () => {
      const { shown } = await this.state()
      return texts.every((wanted) => shown.includes(wanted))
    })
  }

  /** Waits for the page with this heading and all its parts, including those below; none has failed. */
  async seesPage(title: string) {
    await this.until(`the whole page "${title}"`, async () => {
      const { heading, waiting, shown } = await this.state()
      const failure = FAILURES.find((one) => shown.includes(one))
      if (failure) throw new Error(`a part of the page "${title}" failed:\n${shown}`)
      return heading === title && !waiting
    })
  }

  async evaluate<T, A extends unknown[]>(script: (...args: A) => T, ...args: A): Promise<T> {
    const fields = { script: `return (${script})(...arguments)`, args }
    return (await this.driver.send('WebDriver:ExecuteScript', fields)) as T
  }

  /** The state of the page; scrolls to parts that load when near. */
  private state() {
    return this.evaluate(() => {
      const far = document.querySelector('[data-not-near]')
      far?.scrollIntoView()
      return {
        heading: document.querySelector('h1')?.textContent ?? null,
        waiting: far !== null || document.querySelector('.boot, [aria-busy=true]') !== null,
        // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
        shown: document.body.innerText,
      }
    })
  }

  /** Waits for an element with this name; the last of several, as in a dialog over its page. */
  private async find(kind: 'field' | 'button', name: string): Promise<string> {
    let id: string | undefined
    await this.until(`"${name}"`, async () => {
      const found = await this.evaluate(
        (wanted, labelled) => {
          const isWanted = (element: Element) =>
            (element.getAttribute('aria-label') ?? element.textContent)?.trim() === wanted
          if (labelled) return [...document.querySelectorAll('label')].find(isWanted)?.control ?? null
          const all = ['label', 'a', 'button'].flatMap((tag) => [...document.querySelectorAll(tag)])
          return all.findLast(isWanted) ?? null
        },
        name,
        kind === 'field',
      )
      id = (found as Record<string, string> | null)?.[ELEMENT]
      return id !== undefined
    })
    return id ?? ''
  }

  /** Waits for a condition; a failure's message contains the page's text. */
  private async until(what: string, condition: () => Promise<boolean>) {
    const deadline = Date.now() + TIMEOUT
    while (!(await condition())) {
      if (Date.now() > deadline)
        throw new Error(`${what} did not come; the page shows:\n${(await this.state()).shown}`)
      await wait(50)
    }
  }
}

/** An authenticator app: RFC 6238 from the secret that the screen shows. */
import { createHmac } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expect } from '@playwright/test'
import type { Server } from './server.ts'
import { button } from './steps.ts'
import { text } from './texts.ts'

const STEP = 30
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const bytesOf = (base32: string) => {
  const bits = [...base32].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

export class Authenticator {
  private last = 0

  constructor(
    private readonly secret: string,
    private readonly server: Server,
  ) {}

  /** An unused code. If there is none, the server's clock is advanced. */
  async code(): Promise<string> {
    if (this.step() === this.last) await this.server.passSeconds(STEP)
    this.last = this.step()
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(this.last))
    const tag = createHmac('sha1', bytesOf(this.secret)).update(counter).digest()
    const offset = (tag.at(-1) ?? 0) & 15
    return String((tag.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
  }

  private step = () => Math.floor(this.server.now / 1_000 / STEP)
}

/** Completes the setup on screen, up to the recovery codes. */
export async function setUpTotp(page: Page, server: Server, password: string) {
  await page.getByLabel(text('form.current_password'), { exact: true }).last().fill(password)
  await button(page, text('totp.begin')).click()
  await expect(page.getByRole('img', { name: text('totp.qr') })).toBeVisible()
  const secret = await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).textContent()
  const phone = new Authenticator((secret ?? '').replaceAll(' ', ''), server)
  await page.getByLabel(text('totp.code'), { exact: true }).fill(await phone.code())
  await button(page, text('totp.confirm')).click()
  const list = page.getByRole('list', { name: text('totp.recovery') })
  await expect(list.getByRole('listitem')).toHaveCount(10)
  return { phone, recoveryCodes: await list.getByRole('listitem').allTextContents() }
}

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as constants from './constants'

describe('the constants', () => {
  it('are those of the specification, section 9', () => {
    expect(constants).toMatchObject({
      CHUNK_LOAD_TIMEOUT: 120_000,
      UPDATE_POLL_FIRST: 500,
      UPDATE_POLL_FIRST_TIMES: 5,
      UPDATE_POLL: 3_000,
      LIVE_REFRESH: 30_000,
      UPDATE_PROGRESS: { MIN: 0, MAX: 100, FAILED: -1, DONE_ABOVE: 99, SHOWN_AT_START: 5 },
      UPDATE_HINT: { WAIT_MINUTES: 2, SWITCH_ON_SECONDS: { MIN: 5, MAX: 10 }, BREAKER_OFF_MINUTES: 2 },
      WIZARD_STEPS: 3,
      NOTIFICATION_TIMEOUT: 5_000,
      TOAST_TIMEOUT: 2_000,
      PAGE_SIZE: 10,
      PAGES_SHOWN: 5,
      DIALOG_ANIMATION: 500,
      ACCORDION_ANIMATION: 250,
      PASSWORD_MIN: 8,
      REGISTRATION_KEYS_MAX: 3,
      METER_ADDRESS: { MIN: 1, MAX: 250 },
      THROTTLING_NOTICE_ABOVE: 4_200,
      SIDEBAR_TOGGLE_SCROLL: 50,
    })
  })

  it('are the same in boot.js, which cannot import them', () => {
    const boot = readFileSync('public/boot.js', 'utf8')
    const [, timeout] = boot.match(/CHUNK_LOAD_TIMEOUT = ([\d_]+)/) ?? []
    expect(Number(timeout?.replaceAll('_', ''))).toBe(constants.CHUNK_LOAD_TIMEOUT)
  })
})

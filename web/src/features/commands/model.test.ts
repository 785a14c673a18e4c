import { describe, expect, it } from 'vitest'
import { type Command, checkCharge, checkPower, holdUntil, isOpen, meterReading, newKey } from './model'

const command = (special: Partial<Command>): Command => ({
  id: '1',
  sn: 'A',
  command: 'meter_test',
  state: 'sent',
  created_at: 0,
  expires_at: 300_000,
  sent_at: 0,
  ended_at: null,
  code: null,
  text: null,
  data: null,
  ...special,
})

describe('a command', () => {
  it('has a unique key in the server’s format', () => {
    expect(newKey()).toMatch(/^[A-Za-z0-9_-]{8,64}$/)
    expect(newKey()).not.toBe(newKey())
  })

  it.each([
    ['queued', true],
    ['sent', true],
    ['done', false],
    ['failed', false],
    ['expired', false],
  ] as const)('that is %s is open: %s', (state, open) => expect(isOpen(command({ state }))).toBe(open))

  it.each([
    ['80', null],
    ['', 'required'],
    ['101', 'soc_range'],
    ['half', 'number_invalid'],
  ])('charges to %s: %s', (text, finding) => expect(checkCharge(text)).toBe(finding))

  it.each([
    ['', null],
    ['2000', null],
    ['-1', 'power_range'],
    ['2.000', 'number_invalid'],
  ])('charges with %s W: %s', (text, finding) => expect(checkPower(text)).toBe(finding))

  it.each(['1', '2', '4', '8', '12', '24', '48'])('holds for %s h if that was chosen', (hours) =>
    expect(holdUntil(hours, 1_000_000)).toBe(1_000_000 + Number(hours) * 3_600_000),
  )

  it('holds for almost seven days, so that a server whose clock is slightly behind accepts it', () => {
    const sevenDays = 7 * 86_400_000
    expect(holdUntil('168', 0)).toBe(sevenDays - 60_000)
  })
})

describe('the data of a meter test', () => {
  it('is available while it runs', () => {
    const data = { step: 2, steps: 5, phases: [{ voltage: 231, power: 410, ok: true }, null, null] }
    expect(meterReading(command({ data }))).toEqual(data)
  })

  it('is none for other commands', () => {
    expect(meterReading(command({ data: null }))).toBeNull()
    expect(meterReading(command({ data: {} }))).toBeNull()
  })
})

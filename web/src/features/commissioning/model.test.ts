import { describe, expect, it } from 'vitest'
import type { Live, LiveEntry } from '@/lib/live/live'
import {
  allPassed,
  batteriesRest,
  isTrouble,
  meterPowers,
  nextStep,
  openTitles,
  type Phase,
  passedCount,
  type Step,
} from './model'

const step = (name: Step['step'], state: Step['state'], at: number | null = null) =>
  ({ step: name, state, at }) as Step

const live = (entries: Record<string, Partial<LiveEntry>>) => ({ entries, skew: 0 }) as unknown as Live

describe('the guided list', () => {
  it('goes on with the first step that has not passed', () => {
    const steps = [step('units', 'passed', 1), step('meter', 'failed'), step('phases', 'open')]
    expect(nextStep(steps)).toBe('meter')
    expect(passedCount(steps)).toBe(1)
    expect(nextStep([step('units', 'passed', 1)])).toBeNull()
  })

  it('calls a step trouble only once somebody has done it', () => {
    expect(isTrouble(step('meter', 'failed'))).toBe(false)
    expect(isTrouble(step('meter', 'failed', 1))).toBe(true)
    expect(isTrouble(step('meter', 'passed', 1))).toBe(false)
  })

  it('reads the steps that keep it from being finished out of a refusal', () => {
    expect(openTitles({ open: [{ title: 'Stromzähler' }] })).toEqual(['Stromzähler'])
    expect(openTitles(null)).toEqual([])
  })
})

describe('the phase test', () => {
  it('adds what the units of a site measure, and leaves out what nobody does', () => {
    const site = live({
      A: { meter_powers: [100, null, null] },
      B: { meter_powers: [null, -250, null] },
    })
    expect(meterPowers(site, ['A', 'B'])).toEqual([100, -250, null])
    expect(meterPowers(undefined, ['A'])).toEqual([null, null, null])
  })

  it('is done when every phase that is measured has passed', () => {
    const phase = (measured: boolean, rise: number | null) => ({ measured, rise }) as Phase
    expect(allPassed([phase(true, 2_000), phase(false, null)])).toBe(true)
    expect(allPassed([phase(true, 2_000), phase(true, null)])).toBe(false)
    expect(allPassed([phase(false, null)])).toBe(false)
  })

  it('needs batteries that rest', () => {
    expect(batteriesRest(live({ A: { battery_power: -80 } }), ['A'])).toBe(true)
    expect(batteriesRest(live({ A: { battery_power: 0 }, B: { battery_power: 900 } }), ['A', 'B'])).toBe(
      false,
    )
  })
})

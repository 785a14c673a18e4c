import { describe, expect, it } from 'vitest'
import type { FlagSets } from '@/lib/live/live'
import { liveEntry } from '@/lib/testing/live'
import { diagnosisOf, phasesOf } from './flags'

const sets = (special: Partial<FlagSets['message3'][string]> = {}): FlagSets => ({
  message3: {
    A: {
      m3_slave: true,
      m3_gateway: true,
      m3_rotation: false,
      m3_volt_balanc: false,
      m3_BMS: false,
      m3_passiv_balanc: false,
      m3_ethernet_off: false,
      m3_black_start: false,
      ...special,
    },
  },
  message5: {},
  message6: {},
})

describe('a diagnosis', () => {
  it('separates faults from running functions', () => {
    const entry = liveEntry({ message1: { sm2: true, wait60: true, sm_test: false } })
    const found = diagnosisOf(entry, sets({ m3_rotation: true, m3_volt_balanc: true }), 'A')
    expect(found.wrong).toEqual(['sm2', 'm3_rotation'])
    expect(found.running).toEqual(['wait60', 'm3_volt_balanc'])
  })

  it('shows the setup, set or not, and nothing that the battery has not reported', () => {
    // The server's answer contains only flags that are set.
    const said: FlagSets = { message3: { A: { m3_gateway: true } }, message5: { A: {} }, message6: { A: {} } }
    const { setup } = diagnosisOf(liveEntry(), said, 'A')
    expect(setup).toHaveLength(12)
    expect(setup.filter(({ on }) => on)).toEqual([{ flag: 'm3_gateway', on: true }])
    expect(diagnosisOf(liveEntry(), undefined, 'A').setup).toEqual([])
    expect(diagnosisOf(liveEntry(), said, 'B').setup).toEqual([])
  })

  it('counts neither the main switch nor the relay that it opens as a fault', () => {
    expect(diagnosisOf(liveEntry(), sets(), 'A').wrong).toEqual([])
    const relay = (aus: boolean) => liveEntry({ message2: { ...liveEntry().message2, aus, relay: true } })
    expect(diagnosisOf(relay(true), sets(), 'A')).toMatchObject({ wrong: [], running: ['relay'] })
    expect(diagnosisOf(relay(false), sets(), 'A').wrong).toEqual(['relay'])
  })
})

it('a phase is in range within ten percent; an unmeasured one is not out of range', () => {
  expect(phasesOf([253, 253.1, null, 206.9]).map(({ inBand }) => inBand)).toEqual([true, false, true, false])
})

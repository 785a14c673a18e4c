import type { Graph } from '@/lib/data/charts'
import { ALL_SYSTEMS, type LiveDocument, type LiveEntry } from '../live/live'

const FLAGS = ['m', 'sm1', 'i2', 'i1', 'i', 'relay', 'bat', 'u', 'hw', 'sv', 'ein', 'aus', 'na_schutz']

/** A house at noon that has just reported, with overrides. */
export function liveEntry(special: Partial<LiveEntry> = {}): LiveEntry {
  const at = Date.now() - 1_000
  return {
    message1: { sm2: false, wait60: false, sm_test: false },
    message2: Object.fromEntries(FLAGS.map((flag) => [flag, flag === 'ein'])) as LiveEntry['message2'],
    battery_status: 'charging',
    last_messages: [],
    grid_voltage: 232.4,
    grid_voltages: [232.4, 231.1, 230.8],
    meter_powers: [-1_400, -1_450, -1_490],
    grid_power: -4_340,
    PV_power: 7_000,
    battery_power: -1_900,
    SOC: 91,
    m8: 760,
    time: '2026-06-18 14:20:00',
    time_zone: 'Europe/Berlin',
    time_zone_offset: 120,
    measured_at: at,
    received_at: at,
    online: true,
    last_online_from: '2026-06-10 06:00:00',
    state_since_at: at - 86_400_000,
    isActive: true,
    updatable: false,
    update_started: false,
    in_force: [],
    alarms: [],
    lang: 'de',
    ...special,
  }
}

/** The answer of `data/`: with several systems also the entry for all of them. */
export function liveOf(serials: readonly string[], special: Partial<LiveEntry> = {}): LiveDocument {
  const data: LiveDocument['data'] = serials.map((sn) => ({ [sn]: liveEntry(special) }))
  const together = { reporting: serials.length, systems: serials.length }
  if (serials.length > 1) data.push({ [ALL_SYSTEMS]: liveEntry({ ...together, ...special }) })
  return { data, message3: {}, message5: {}, message6: {} }
}

/** A day without measurements. */
export const emptyGraph: Graph = {
  sn: '-1',
  interval: 'Day',
  resolution: 'quarter',
  method: 'mean',
  time_zone: 'Europe/Berlin',
  reporting: 0,
  systems: 1,
  time: [],
  series: {},
}

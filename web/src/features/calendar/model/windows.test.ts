import { expect, it } from 'vitest'
import { windowsOf } from './windows'

const always = {
  charge_start: '00:00',
  charge_end: '24:00',
  discharge_start: '00:00',
  discharge_end: '24:00',
}
const atNight = { ...always, charge_start: '22:00', charge_end: '06:00' }

it('times are windows shorter than the day, also across midnight', () => {
  const systems = [
    { sn: 'A', desired: atNight },
    { sn: 'B', desired: always },
    { sn: 'C', desired: { ...always, discharge_start: '06:00', discharge_end: '22:00' } },
    { sn: 'D', desired: atNight },
    { sn: 'E', desired: {} },
  ]
  expect(windowsOf(systems)).toEqual([
    { serials: ['A', 'D'], charge: { from: '22:00', until: '06:00' }, discharge: null },
    { serials: ['C'], charge: null, discharge: { from: '06:00', until: '22:00' } },
  ])
})

it('systems are not named if all have the same windows', () => {
  const systems = [
    { sn: 'A', desired: atNight },
    { sn: 'B', desired: atNight },
  ]
  expect(windowsOf(systems)).toMatchObject([{ serials: [] }])
})

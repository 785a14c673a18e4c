import { expect, it } from 'vitest'
import type { Site } from '@/lib/data/site'
import { checkSite, compassOf, initialSite, peakOf, placeBody, siteBody, zonesWith } from './model'

const site: Site = {
  sn: 'SC24A0001',
  place: 'Bad Tölz',
  latitude: 47.76,
  longitude: -11.56,
  time_zone: 'Europe/Berlin',
  time_zone_fixed: true,
  planes: [
    { kwp: 5.2, tilt: 30, azimuth: -90 },
    { kwp: 1_004.645, tilt: 0, azimuth: 90 },
  ],
  kwp: 9.845,
}
const fine = { place: '', latitude: '', longitude: '', time_zone: 'Europe/Berlin' }

it('starts with the known values in the format of the language, and sends the same', () => {
  const form = initialSite(site, 'hr')
  expect(form).toMatchObject({ latitude: '47,76', longitude: '-11,56', kwp_0: '5,2', kwp_1: '1004,645' })
  expect(siteBody(form, [0, 1], true)).toEqual({
    place: 'Bad Tölz',
    latitude: '47.76',
    longitude: '-11.56',
    planes: '5.2/30/-90,1004.645/0/90',
  })
})

it('sends no coordinates or planes where there are none, and the time zone only while it may change', () => {
  expect(siteBody(fine, [], false)).toEqual({
    place: '',
    latitude: '',
    longitude: '',
    planes: '',
    time_zone: 'Europe/Berlin',
  })
  expect(placeBody({ ...fine, place: 'Bonn' })).toEqual({ place: 'Bonn', latitude: '', longitude: '' })
})

it.each([
  [{ place: 'x'.repeat(81) }, { place: 'too_long' }],
  [{ latitude: '48,1' }, { longitude: 'required' }],
  [
    { latitude: '91', longitude: 'Ost' },
    { latitude: 'site.wrong.latitude', longitude: 'number_invalid' },
  ],
  [
    { kwp_3: '', tilt_3: '91', azimuth_3: '-181' },
    { kwp_3: 'required', tilt_3: 'site.wrong.tilt', azimuth_3: 'site.wrong.azimuth' },
  ],
  [
    { kwp_3: '200.001', tilt_3: '30,5', azimuth_3: '0' },
    { kwp_3: 'site.wrong.kwp', tilt_3: 'number_invalid' },
  ],
])('%j is rejected at its field', (typed, wrong) => {
  const planes = 'kwp_3' in typed ? [3] : []
  const found = Object.entries(checkSite({ ...fine, ...typed }, planes)).filter(([, code]) => code)
  expect(Object.fromEntries(found)).toEqual(wrong)
})

it('accepts the many digits of coordinates from a map', () => {
  const form = { ...fine, latitude: '47.760790123', longitude: '\u221211.5568' }
  expect(Object.values(checkSite(form, []))).toEqual([null, null, null])
  expect(placeBody(form)).toMatchObject({ latitude: '47.760790123', longitude: '-11.5568' })
})

it('sums up the power of the planes that are typed so far', () => {
  expect(peakOf({ kwp_0: '5,2', kwp_2: '4.645', kwp_4: 'x' }, [0, 2, 4])).toBe(9.845)
  expect(peakOf({}, [0])).toBeNull()
})

it.each([
  [0, 'south'],
  [-45, 'southeast'],
  [-90, 'east'],
  [90, 'west'],
  [180, 'north'],
  [-180, 'north'],
  [-100, 'east'],
  [22, 'south'],
])('%i° looks %s', (azimuth, word) => {
  expect(compassOf(azimuth)).toBe(word)
})

it('keeps a time zone that the browser does not know', () => {
  expect(zonesWith('Europe/Newtown')).toContain('Europe/Newtown')
  expect(zonesWith('Europe/Berlin').filter((zone) => zone === 'Europe/Berlin')).toHaveLength(1)
})

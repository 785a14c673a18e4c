/** The rules of the form for a site: what is shown, what is wrong with it, and what is sent. */
import type { Site, SiteChange } from '@/lib/api/site'
import type { Locale } from '@/lib/i18n/locales'
import { readNumber } from '@/lib/number'

/** As on the server. */
export const PLANES_MOST = 8
export const PLACE_LONGEST = 80
const PEAK = { least: 0.01, most: 200 }

/** Place, coordinates, time zone, and for each plane three fields that end in its number. */
export type SiteForm = Record<string, string>

export const PLANE_FIELDS = ['kwp', 'tilt', 'azimuth'] as const
export type PlaneField = (typeof PLANE_FIELDS)[number]
export const fieldOf = (name: PlaneField, plane: number) => `${name}_${plane}`

/** A number as it is typed: with the decimal sign of the language, and nothing between thousands. */
export const typed = (value: number | null, locale: Locale): string =>
  value === null
    ? ''
    : new Intl.NumberFormat(locale, { maximumFractionDigits: 3, useGrouping: false })
        .format(value)
        .replace('\u2212', '-')

/** @returns null where it is no number */
export const readTyped = (text: string | undefined, decimals: number) =>
  readNumber((text ?? '').replace('\u2212', '-'), decimals)

export function initialSite(site: Site, locale: Locale): SiteForm {
  const form: SiteForm = {
    place: site.place ?? '',
    latitude: typed(site.latitude, locale),
    longitude: typed(site.longitude, locale),
    time_zone: site.time_zone,
  }
  for (const [plane, values] of site.planes.entries())
    for (const name of PLANE_FIELDS) form[fieldOf(name, plane)] = typed(values[name], locale)
  return form
}

/** What is wrong, as a code of the form or as `site.wrong.…`. */
type OwnWrong = `site.wrong.${'latitude' | 'longitude' | PlaneField}`
export type Wrong = 'required' | 'too_long' | 'number_invalid' | OwnWrong
export const isOwn = (wrong: Wrong | null): wrong is OwnWrong => wrong?.startsWith('site.') ?? false

function checkRange(
  text: string | undefined,
  decimals: number,
  least: number,
  most: number,
  wrong: Wrong,
): Wrong | null {
  if (!text?.trim()) return 'required'
  const value = readTyped(text, decimals)
  if (value === null) return 'number_invalid'
  return value < least || value > most ? wrong : null
}

/** More digits than are kept are no mistake: whoever copies coordinates from a map has many. */
const COPIED = 15

export function checkSite(form: SiteForm, planes: readonly number[]): Record<string, Wrong | null> {
  const { place = '', latitude = '', longitude = '' } = form
  const placed = latitude.trim() !== '' || longitude.trim() !== ''
  const found: Record<string, Wrong | null> = {
    place: [...place.trim()].length > PLACE_LONGEST ? 'too_long' : null,
    latitude: placed ? checkRange(latitude, COPIED, -90, 90, 'site.wrong.latitude') : null,
    longitude: placed ? checkRange(longitude, COPIED, -180, 180, 'site.wrong.longitude') : null,
  }
  for (const plane of planes) {
    const check = (name: PlaneField, decimals: number, least: number, most: number) => {
      const field = fieldOf(name, plane)
      found[field] = checkRange(form[field], decimals, least, most, `site.wrong.${name}`)
    }
    check('kwp', 3, PEAK.least, PEAK.most)
    check('tilt', 0, 0, 90)
    check('azimuth', 0, -180, 180)
  }
  return found
}

const plain = (text: string | undefined, decimals: number) => String(readTyped(text, decimals) ?? '')

/** Place and coordinates: what is the same at the other systems of a house. */
export const placeBody = ({ place = '', latitude = '', longitude = '' }: SiteForm): SiteChange => ({
  place,
  latitude: plain(latitude, COPIED),
  longitude: plain(longitude, COPIED),
})

/** The time zone only where it may still change. */
export function siteBody(form: SiteForm, planes: readonly number[], zoneFixed: boolean): SiteChange {
  const plane = (number: number) =>
    PLANE_FIELDS.map((name) => plain(form[fieldOf(name, number)], name === 'kwp' ? 3 : 0)).join('/')
  return {
    ...placeBody(form),
    planes: planes.map(plane).join(),
    ...(zoneFixed ? {} : { time_zone: form.time_zone ?? '' }),
  }
}

/** Of all planes, as far as they are typed; null while none is. */
export function peakOf(form: SiteForm, planes: readonly number[]): number | null {
  const peaks = planes.map((plane) => readTyped(form[fieldOf('kwp', plane)], 3)).filter((kwp) => kwp !== null)
  return peaks.length === 0 ? null : Math.round(peaks.reduce((sum, kwp) => sum + kwp, 0) * 1_000) / 1_000
}

export const COMPASS = [
  'south',
  'southwest',
  'west',
  'northwest',
  'north',
  'northeast',
  'east',
  'southeast',
] as const
export type Compass = (typeof COMPASS)[number]

/** The word for a direction: 0 is south, −90 east, 90 west. */
export const compassOf = (azimuth: number): Compass =>
  COMPASS[(Math.round(azimuth / 45) + COMPASS.length) % COMPASS.length] ?? 'south'

/** Every time zone that the browser knows, and the one that the site has. */
export const zonesWith = (zone: string): string[] =>
  [...new Set([zone, ...Intl.supportedValuesOf('timeZone')])].sort()

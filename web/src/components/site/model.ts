/** The form of a site: initial values, validation and request body. */
import type { Site, SiteChange } from '@/lib/data/site'
import type { Locale } from '@/lib/i18n/locales'
import { readNumber } from '@/lib/number'

/** The server's limits. */
export const MAX_PLANES = 8
export const MAX_PLACE_LENGTH = 80
const PEAK = { least: 0.01, most: 200 }

/** Place, coordinates, time zone, and three fields per plane whose names end in its number. */
export type SiteForm = Record<string, string>

export const PLANE_FIELDS = ['kwp', 'tilt', 'azimuth'] as const
export type PlaneField = (typeof PLANE_FIELDS)[number]
export const fieldOf = (name: PlaneField, plane: number) => `${name}_${plane}`

/** Formats a number for an input: decimal sign of the language, no thousands separators. */
export const formatTyped = (value: number | null, locale: Locale): string =>
  value === null
    ? ''
    : new Intl.NumberFormat(locale, { maximumFractionDigits: 3, useGrouping: false })
        .format(value)
        .replace('\u2212', '-')

/** @returns null if it is not a number */
export const parseTyped = (text: string | undefined, decimals: number) =>
  readNumber((text ?? '').replace('\u2212', '-'), decimals)

export function initialSite(site: Site, locale: Locale): SiteForm {
  const form: SiteForm = {
    place: site.place ?? '',
    latitude: formatTyped(site.latitude, locale),
    longitude: formatTyped(site.longitude, locale),
    time_zone: site.time_zone,
  }
  for (const [plane, values] of site.planes.entries())
    for (const name of PLANE_FIELDS) form[fieldOf(name, plane)] = formatTyped(values[name], locale)
  return form
}

/** An error of a field: a general code, or `site.wrong.…`. */
type SiteErrorCode = `site.wrong.${'latitude' | 'longitude' | PlaneField}`
export type SiteError = 'required' | 'too_long' | 'number_invalid' | SiteErrorCode
export const isSiteErrorCode = (wrong: SiteError | null): wrong is SiteErrorCode =>
  wrong?.startsWith('site.') ?? false

function checkRange(
  text: string | undefined,
  decimals: number,
  least: number,
  most: number,
  wrong: SiteError,
): SiteError | null {
  if (!text?.trim()) return 'required'
  const value = parseTyped(text, decimals)
  if (value === null) return 'number_invalid'
  return value < least || value > most ? wrong : null
}

/** Accepted decimals: coordinates that are copied from a map have many, and the rest is rounded away. */
const MAX_TYPED_DECIMALS = 15

export function checkSite(form: SiteForm, planes: readonly number[]): Record<string, SiteError | null> {
  const { place = '', latitude = '', longitude = '' } = form
  const placed = latitude.trim() !== '' || longitude.trim() !== ''
  const found: Record<string, SiteError | null> = {
    place: [...place.trim()].length > MAX_PLACE_LENGTH ? 'too_long' : null,
    latitude: placed ? checkRange(latitude, MAX_TYPED_DECIMALS, -90, 90, 'site.wrong.latitude') : null,
    longitude: placed ? checkRange(longitude, MAX_TYPED_DECIMALS, -180, 180, 'site.wrong.longitude') : null,
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

const plain = (text: string | undefined, decimals: number) => String(parseTyped(text, decimals) ?? '')

/** Place and coordinates, which the other systems of a house share. */
export const placeBody = ({ place = '', latitude = '', longitude = '' }: SiteForm): SiteChange => ({
  place,
  latitude: plain(latitude, MAX_TYPED_DECIMALS),
  longitude: plain(longitude, MAX_TYPED_DECIMALS),
})

/** The time zone is sent only while it may change. */
export function siteBody(form: SiteForm, planes: readonly number[], zoneFixed: boolean): SiteChange {
  const plane = (number: number) =>
    PLANE_FIELDS.map((name) => plain(form[fieldOf(name, number)], name === 'kwp' ? 3 : 0)).join('/')
  return {
    ...placeBody(form),
    planes: planes.map(plane).join(),
    ...(zoneFixed ? {} : { time_zone: form.time_zone ?? '' }),
  }
}

/** The total of the planes that are filled in; null if none is. */
export function peakOf(form: SiteForm, planes: readonly number[]): number | null {
  const peaks = planes
    .map((plane) => parseTyped(form[fieldOf('kwp', plane)], 3))
    .filter((kwp) => kwp !== null)
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

/** The compass word for an azimuth: 0 is south, −90 east, 90 west. */
export const compassOf = (azimuth: number): Compass =>
  COMPASS[(Math.round(azimuth / 45) + COMPASS.length) % COMPASS.length] ?? 'south'

/** All time zones of the browser, and the site's own. */
export const zonesWith = (zone: string): string[] =>
  [...new Set([zone, ...Intl.supportedValuesOf('timeZone')])].sort()

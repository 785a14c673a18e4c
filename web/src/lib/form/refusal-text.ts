import { ApiError, errorText } from '../api/errors'
import type { Locale } from '../i18n/locales'
import type { Translate } from '../i18n/use-t'

/** The text of an error, with the time to wait if there is one. */
export function refusalText(error: unknown, t: Translate, locale: Locale): string {
  const wait = error instanceof ApiError ? error.retryAfterSeconds : undefined
  if (!(error instanceof ApiError) || error.code !== 'too_many_attempts' || !wait) return errorText(error, t)
  return t('form.wait', { time: formatWait(wait, locale) })
}

/** "45 Sekunden", "3 Minuten", "2 Stunden": rounded up. */
export function formatWait(seconds: number, locale: Locale): string {
  const [unit, amount] =
    seconds < 60
      ? ['second', seconds]
      : seconds < 3_600
        ? ['minute', Math.ceil(seconds / 60)]
        : ['hour', Math.ceil(seconds / 3_600)]
  return new Intl.NumberFormat(locale, { style: 'unit', unit: unit as string, unitDisplay: 'long' }).format(
    amount as number,
  )
}

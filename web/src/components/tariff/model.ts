/** The form of a fixed price: initial values, validation and request body. */
import type { NewTariff, SystemTariffs, Tariff } from '@/lib/data/money'
import type { Findings } from '@/lib/form/model'
import { formatNumber } from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { tariffOn } from '@/lib/money'
import type { SiteDay } from '@/lib/site-day'
import { checkPrice } from '@/lib/validation/price'

/** The start of new prices. `beginning` also corrects the past, for a first price that was mistyped. */
export const SINCE = ['beginning', 'today', 'day'] as const
type Since = (typeof SINCE)[number]

export type TariffForm = {
  sn: string
  import_price: string
  feed_in_price: string
  since: Since
  /** `YYYY-MM-DD`, used if `since` is `day`. */
  from: string
}

export const checkTariff = (form: TariffForm): Findings<TariffForm> => ({
  import_price: checkPrice(form.import_price),
  feed_in_price: checkPrice(form.feed_in_price),
  from: form.since === 'day' && form.from === '' ? 'required' : null,
})

export function tariffBody({ since, from, ...prices }: TariffForm, today: SiteDay): NewTariff {
  const begins = { beginning: 'null', today, day: from }
  return { ...prices, from: begins[since] }
}

/** Whether a system still has no prices. */
export const lacksPrices = (systems: readonly SystemTariffs[]) =>
  systems.some(({ tariffs }) => tariffs.length === 0)

/** The initial system: the only one without prices, otherwise the selected one. */
export function initialSystem(systems: readonly SystemTariffs[], sn: string): string {
  const [lacking, ...more] = systems.filter(({ tariffs }) => tariffs.length === 0)
  if (sn === ALL_SYSTEMS && lacking && more.length === 0) return lacking.sn
  return systems.length > 1 ? sn : (systems[0]?.sn ?? sn)
}

const isSelected = (system: SystemTariffs, sn: string) => sn === ALL_SYSTEMS || system.sn === sn

/** The prices on a day; for several systems only if they are equal. */
export function pricesOn(systems: readonly SystemTariffs[], sn: string, day: SiteDay): Tariff | null {
  const meant = systems.filter((system) => isSelected(system, sn))
  const [first, ...more] = meant.map(({ tariffs }) => tariffOn(tariffs, day))
  if (!first) return null
  const same = more.every(
    (other) => other?.import_price === first.import_price && other.feed_in_price === first.feed_in_price,
  )
  return same ? first : null
}

export function initialTariff(
  systems: readonly SystemTariffs[],
  chosen: string,
  today: SiteDay,
  locale: Locale,
): TariffForm {
  const sn = initialSystem(systems, chosen)
  const prices = pricesOn(systems, sn, today)
  const text = (price: number | undefined) => (price === undefined ? '' : formatNumber(price, locale, 2))
  const known = systems.some((system) => isSelected(system, sn) && system.tariffs.length > 0)
  return {
    sn,
    import_price: text(prices?.import_price),
    feed_in_price: text(prices?.feed_in_price),
    since: known ? 'today' : 'beginning',
    from: '',
  }
}

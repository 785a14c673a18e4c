import { useQuery } from '@tanstack/react-query'
import { Callout } from '@/components/ui/callout'
import { formatDateTime, formatTime, joinQuantity, priceQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { pricesQuery } from './data'
import {
  extremes,
  fallbackSource,
  isPending,
  isService,
  needsOwner,
  type SystemPrices,
  sourceErrorOf,
  untilOf,
  upcomingPrices,
} from './model'
import { TimeOfUse } from './time-of-use'

type Props = {
  serials: readonly string[]
  /** For members who may only look. */
  readOnly: boolean
  /** A provider's display name. */
  nameOf: (provider: string) => string
}

/** The state of the prices from the chosen provider. */
export function ProviderPrices({ serials, readOnly, nameOf }: Props) {
  const { data } = useQuery(pricesQuery)
  const chosen = data?.filter(({ sn }) => serials.includes(sn)) ?? []
  const services = chosen.filter(isService)
  const typed = chosen.filter(({ provider }) => provider === 'time_of_use')
  if (services.length === 0 && typed.length === 0) return null
  return (
    <div className="mt-5 grid gap-4">
      {services.map((prices) => (
        <ProviderState key={prices.sn} prices={prices} named={chosen.length > 1} nameOf={nameOf} />
      ))}
      {typed.length > 0 && (
        <TimeOfUse key={typed.map(({ sn }) => sn).join()} systems={typed} readOnly={readOnly} />
      )}
    </div>
  )
}

type ProviderStateProps = { prices: SystemPrices; named: boolean; nameOf: Props['nameOf'] }

function ProviderState({ prices, named, nameOf }: ProviderStateProps) {
  const { t, locale } = useT()
  const { sn, success_at, failing_since, time_zone, currency } = prices
  const provider = nameOf(prices.provider)
  const sourceError = sourceErrorOf(prices)
  const fallback = fallbackSource(prices)
  const moment = (ms: number) => formatDateTime(ms, { locale, timeZone: time_zone })
  const tone = sourceError === null ? 'ok' : needsOwner(sourceError) ? 'danger' : 'warn'
  const title = isPending(prices)
    ? t('settings.prices.asking', { provider })
    : sourceError === null
      ? t('settings.prices.well', { provider })
      : t(`settings.prices.trouble.${sourceError}`, { provider })
  return (
    <Callout
      tone={isPending(prices) ? 'info' : tone}
      title={
        <>
          {named && <span className="num mr-2 break-all">{sn}</span>}
          {title}
        </>
      }
    >
      {sourceError !== null && (
        <p>{t(`settings.prices.trouble.${sourceError}.text`, { provider, currency })}</p>
      )}
      {sourceError !== 'currency' && !isPending(prices) && <KnownPrices prices={prices} />}
      {fallback !== null && <p>{t('settings.prices.stand_in', { provider, other: nameOf(fallback) })}</p>}
      {sourceError !== null && !needsOwner(sourceError) && failing_since !== null && (
        <p className="num text-sm text-muted">
          {t('settings.prices.since', { time: moment(failing_since) })}
          {success_at !== null && ` ${t('settings.prices.last', { time: moment(success_at) })}`}
        </p>
      )}
    </Callout>
  )
}

/** "Preise bekannt bis morgen 24:00. Jetzt 28,41 ct/kWh, …" */
function KnownPrices({ prices }: { prices: SystemPrices }) {
  const { t, locale } = useT()
  const { known_until, time_zone, currency } = prices
  const quarters = upcomingPrices(prices)
  const range = extremes(quarters)
  const [now] = quarters
  if (known_until === null || !range || !now) return <p>{t('settings.prices.none')}</p>
  const time = (ms: number) => formatTime(ms, { locale, timeZone: time_zone })
  const price = (cents: number) => joinQuantity(priceQuantity(cents, currency, locale))
  const until = untilOf(known_until, prices)
  return (
    <>
      <p>{t(`settings.prices.until.${until.day}`, { time: until.midnight ? '24:00' : time(known_until) })}</p>
      <p className="num">
        {t('settings.prices.range', {
          now: price(now.price),
          low: price(range.low.price),
          low_time: time(range.low.at),
          high: price(range.high.price),
          high_time: time(range.high.at),
        })}
      </p>
    </>
  )
}

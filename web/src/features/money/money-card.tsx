import { Link } from '@tanstack/react-router'
import { CalendarDays, PiggyBank } from 'lucide-react'
import { Suspense } from 'react'
import { lacksPrices } from '@/components/tariff/model'
import { Button, buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Skeleton } from '@/components/ui/skeleton'
import { errorText } from '@/lib/api/errors'
import { cn } from '@/lib/cn'
import { formatTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import { useTimeZone } from '@/lib/live/use-time-zone'
import { currencyOf } from '@/lib/money'
import { useLookOnly } from '@/lib/use-look-only'
import { MoneyFigures } from './money-figures'
import { type MoneyData, useMoney } from './use-money'

/** Loaded on demand: few people have look-only access. */
const LookOnly = lazyPart<object>(async () => (await import('@/components/access/look-only')).LookOnly)

/** The part of the settings page with the prices. */
const PRICES = { part: 'prices' } as const

/** What today and this month cost or earned, and the battery's share in it. */
export function MoneyCard() {
  const { t } = useT()
  const money = useMoney()
  const { sn, tariffs } = money
  const { looks, everywhere } = useLookOnly()
  const mayEnter = !everywhere && !(sn !== null && looks(sn))
  return (
    <section aria-labelledby="money" aria-busy={isWaiting(money)} className="card min-w-0 p-5">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id="money" className="card-heading">
          {t('money.title')}
        </h2>
        <div className="-mx-3 flex flex-wrap gap-1">
          {mayEnter && tariffs && !lacksPrices(tariffs) && (
            <Link to="/settings" search={PRICES} className={buttonStyle({ variant: 'ghost', size: 's' })}>
              {t('money.change')}
            </Link>
          )}
          {/* A phone has the shortcut above instead. */}
          <Link to="/calendar" className={cn(buttonStyle({ variant: 'ghost', size: 's' }), 'max-sm:hidden')}>
            <CalendarDays aria-hidden className="size-4" />
            {t('money.to_calendar')}
          </Link>
        </div>
      </div>
      <Content money={money} mayEnter={mayEnter} />
    </section>
  )
}

const isWaiting = ({ tariffs, savings, energy, error }: MoneyData) =>
  !error && !(tariffs && (lacksPrices(tariffs) || (savings && energy !== undefined)))

function Content({ money, mayEnter }: { money: MoneyData; mayEnter: boolean }) {
  const { t } = useT()
  const { tariffs, savings, energy, today, error } = money
  if (tariffs && lacksPrices(tariffs)) return mayEnter ? <NoPrices /> : <NoPricesLookOnly />
  if (tariffs && savings && energy !== undefined)
    return (
      <div key="figures">
        <MoneyFigures currency={currencyOf(tariffs)} savings={savings} energy={energy} today={today} />
        {error && <Stale money={money} />}
      </div>
    )
  if (error)
    return (
      <Callout tone="danger" title={t('money.failed')} action={<Retry money={money} />}>
        {errorText(error, t)}
      </Callout>
    )
  return <Skeleton key="waiting" className="h-72 sm:h-43.5" />
}

function NoPricesLookOnly() {
  return (
    <Suspense>
      <LookOnly />
    </Suspense>
  )
}

function NoPrices() {
  const { t } = useT()
  return (
    <div className="flex min-h-35.25 flex-wrap items-center gap-x-5 gap-y-4">
      <span className="grid size-14 shrink-0 place-items-center rounded-full bg-surface-2 text-muted">
        <PiggyBank aria-hidden className="size-6" />
      </span>
      <p className="min-w-0 flex-1 basis-60 text-lg text-pretty text-muted">{t('money.no_prices')}</p>
      <Link to="/settings" search={PRICES} className={buttonStyle()}>
        {t('money.enter')}
      </Link>
    </div>
  )
}

/** Shows the last values with their time when a refresh fails. */
function Stale({ money }: { money: MoneyData }) {
  const { t, locale } = useT()
  const timeZone = useTimeZone(money.sn ?? undefined)
  return (
    <div className="mt-4 flex flex-wrap items-center gap-3 text-sm text-muted">
      <p>{t('live.as_of', { time: formatTime(money.at, { locale, timeZone }) })}</p>
      <Retry money={money} />
    </div>
  )
}

function Retry({ money: { retry, retrying } }: { money: MoneyData }) {
  const { t } = useT()
  return (
    <Button variant="outline" size="s" busy={retrying} onClick={retry}>
      {t('ui.retry')}
    </Button>
  )
}

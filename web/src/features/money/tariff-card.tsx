import { useQuery } from '@tanstack/react-query'
import { TariffForm } from '@/components/tariff/tariff-form'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { type SystemTariffs, type Tariff, tariffQuery } from '@/lib/data/money'
import { formatPeriod, joinQuantity, priceQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSite } from '@/lib/use-site'

/** The prices of all systems with their start days, and a form for new ones. */
export function TariffCard() {
  const { t } = useT()
  const { today } = useSite()
  const tariffs = useQuery(tariffQuery(ALL_SYSTEMS))
  return (
    <Card title={t('money.tariff.title')} description={t('money.tariff.text')}>
      <Answer query={tariffs} failed={t('money.tariff.failed')} waiting={<Skeleton className="h-108" />}>
        {(systems) => (
          <div className="grid gap-6">
            <div className="grid gap-5">
              {systems.map((system) => (
                <History key={system.sn} system={system} named={systems.length > 1} />
              ))}
            </div>
            <TariffForm sn={ALL_SYSTEMS} systems={systems} today={today} />
          </div>
        )}
      </Answer>
    </Card>
  )
}

function History({ system, named }: { system: SystemTariffs; named: boolean }) {
  const { t } = useT()
  return (
    <div>
      {named && <h3 className="num mb-1 text-md font-medium">{system.sn}</h3>}
      {system.tariffs.length === 0 && <p className="text-md text-muted">{t('money.tariff.none')}</p>}
      <ul className="divide-y divide-line text-md">
        {system.tariffs.map((tariff) => (
          <TariffRow key={tariff.from ?? ''} tariff={tariff} currency={system.currency} />
        ))}
      </ul>
    </div>
  )
}

function TariffRow({ tariff, currency }: { tariff: Tariff; currency: string }) {
  const { t, locale } = useT()
  const price = (value: number) => joinQuantity(priceQuantity(value, currency, locale))
  return (
    <li className="flex flex-wrap justify-between gap-x-4 py-2">
      <span className="text-muted">
        {tariff.from
          ? t('money.tariff.from', { date: formatPeriod(tariff.from, 'Day', locale) })
          : t('money.tariff.since.beginning')}
      </span>
      <span className="num">
        {t('money.tariff.prices', {
          import: price(tariff.import_price),
          feed_in: price(tariff.feed_in_price),
        })}
      </span>
    </li>
  )
}

import { useQuery } from '@tanstack/react-query'
import { cn } from '@/lib/cn'
import { systemsQuery } from '@/lib/data/systems'
import { formatVersion, joinQuantity, voltageQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'

type Props = { units: readonly string[]; firmware: boolean }

/** Each unit with what it reports at this moment: that it is there, or what runs on it. */
export function UnitList({ units, firmware }: Props) {
  const { t, locale } = useT()
  const { data: systems } = useQuery(systemsQuery)
  const { data: live } = useLive()
  return (
    <ul className="grid gap-2">
      {units.map((sn) => {
        const system = systems?.find((one) => one.sn === sn)
        const entry = live?.entries[sn]
        const volts = entry?.grid_voltage
        const facts = firmware
          ? [
              `Master ${formatVersion(system?.master_version)}`,
              `Gateway ${formatVersion(system?.gateway_version)}`,
            ]
          : [
              system?.hardware,
              system && t('systems.phase', { phase: system.phase }),
              typeof volts === 'number' && joinQuantity(voltageQuantity(volts, locale)),
            ]
        return (
          <li
            key={sn}
            className="flex flex-wrap items-baseline justify-between gap-x-4 rounded-xl border border-line px-4 py-3 text-md"
          >
            <span className="num font-medium">{sn}</span>
            <span className="num text-muted">{facts.filter(Boolean).join(' · ')}</span>
            <span className={cn('w-full text-sm', entry?.online ? 'text-ok' : 'text-warn')}>
              {t(entry?.online ? 'commissioning.unit.online' : 'commissioning.unit.offline')}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

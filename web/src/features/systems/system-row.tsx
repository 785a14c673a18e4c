import { BatteryFull, BatteryWarning, type LucideIcon, WifiOff } from 'lucide-react'
import { readingOf } from '@/components/live/model/reading'
import { type StatusWarning, statusWarningsOf } from '@/components/live/model/status-warnings'
import { StatusWarningList } from '@/components/live/status-warning-list'
import { cn } from '@/lib/cn'
import type { System } from '@/lib/data/systems'
import { formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import { endUserOf } from './model/sections'

/** Product names, the same in every language. */
const VERSIONS = [
  { name: 'Master', field: 'master_version' },
  { name: 'Gateway', field: 'gateway_version' },
  { name: 'Slave', field: 'slave_version' },
] as const

export const rowStyle = 'py-3.5 first:pt-0 last:pb-0'

/** Ages change slowly, so they are updated this often. In ms. */
const AGE_CHECK = 5_000

type Marker = { icon: LucideIcon; mark: string }

function markerOf(warnings: readonly StatusWarning[]): Marker {
  if (warnings.some(({ kind }) => kind === 'offline')) return { icon: WifiOff, mark: 'text-muted' }
  if (warnings.some(({ kind }) => kind !== 'in_force')) return { icon: BatteryWarning, mark: 'text-warn' }
  return { icon: BatteryFull, mark: 'text-battery-text' }
}

/** A system with its phase, end user, state and firmware. */
export function SystemRow({ system }: { system: System }) {
  const { t } = useT()
  const person = endUserOf(system)
  const { data: live } = useLive()
  const now = useNow(AGE_CHECK) + (live?.skew ?? 0)
  const entry = live?.entries[system.sn]
  const warnings = entry ? statusWarningsOf(readingOf(entry), now) : []
  const { icon: Icon, mark } = markerOf(warnings)
  return (
    <li className={cn(rowStyle, 'flex flex-wrap items-center gap-x-4 gap-y-3')}>
      <span className={cn('grid size-11 shrink-0 place-items-center rounded-xl bg-surface-2', mark)}>
        <Icon aria-hidden className="size-5" />
      </span>
      <div className="min-w-0 flex-1 basis-40">
        <p className="num font-medium break-all">{system.sn}</p>
        <p className="text-sm text-muted wrap-anywhere">
          {t('systems.phase', { phase: system.phase })}
          {person && <span> · {person}</span>}
        </p>
        {entry && warnings.length > 0 && (
          <div className="text-sm font-medium text-warn">
            <StatusWarningList warnings={warnings} timeZone={entry.time_zone} now={now} />
          </div>
        )}
      </div>
      <dl className="num flex basis-full flex-wrap gap-x-8 gap-y-2 pl-15 text-md sm:basis-auto sm:pl-0">
        {VERSIONS.map(({ name, field }) => (
          <div key={field}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd>{formatVersion(system[field])}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}

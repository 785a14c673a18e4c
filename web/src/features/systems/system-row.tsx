import { BatteryFull } from 'lucide-react'
import type { System } from '@/lib/api/queries'
import { cn } from '@/lib/cn'
import { formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { endUserOf } from './model/sections'

/** Product words, the same in every language. */
const VERSIONS = [
  { name: 'Master', field: 'master_version' },
  { name: 'Gateway', field: 'gateway_version' },
  { name: 'Slave', field: 'slave_version' },
] as const

export const rowStyle = 'py-3.5 first:pt-0 last:pb-0'

/** A system with its phase, the person it belongs to and its firmware. */
export function SystemRow({ system }: { system: System }) {
  const { t } = useT()
  const person = endUserOf(system)
  return (
    <li className={cn(rowStyle, 'flex flex-wrap items-center gap-x-4 gap-y-3')}>
      <span className="grid size-11 shrink-0 place-items-center rounded-xl bg-surface-2 text-battery-text">
        <BatteryFull aria-hidden className="size-5" />
      </span>
      <div className="min-w-0 flex-1 basis-40">
        <p className="num font-medium break-all">{system.sn}</p>
        <p className="text-[13px] text-muted wrap-anywhere">
          {t('systems.phase', { phase: system.phase })}
          {person && <span> · {person}</span>}
        </p>
      </div>
      <dl className="num flex basis-full flex-wrap gap-x-8 gap-y-2 pl-15 text-[14px] sm:basis-auto sm:pl-0">
        {VERSIONS.map(({ name, field }) => (
          <div key={field}>
            <dt className="text-[12px] text-muted">{name}</dt>
            <dd>{formatVersion(system[field])}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}

import { useQuery } from '@tanstack/react-query'
import { BatteryFull } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { errorText } from '@/lib/api/errors'
import { type System, systemsQuery } from '@/lib/api/queries'
import { cn } from '@/lib/cn'
import { formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useSession } from '@/lib/session/session-store'

/** Product words, the same in every language. */
const VERSIONS = [
  { name: 'Master', field: 'master_version' },
  { name: 'Gateway', field: 'gateway_version' },
  { name: 'Slave', field: 'slave_version' },
] as const

const rowStyle = 'py-3.5 first:pt-0 last:pb-0'

/** The systems of the account, with their phase and firmware. */
export function SystemList() {
  const { t } = useT()
  const { data, error, isFetching, refetch } = useQuery(systemsQuery)
  // As many as last time, so that nothing moves when they come.
  const expected = useSession((session) => session.serials) ?? ['']
  if (!data && error) {
    return (
      <Callout
        tone="danger"
        title={t('systems.failed')}
        action={
          <Button variant="outline" size="s" busy={isFetching} onClick={() => void refetch()}>
            {t('systems.retry')}
          </Button>
        }
      >
        {errorText(error, t)}
      </Callout>
    )
  }
  return (
    <Card title={t('systems.title')} aria-busy={!data}>
      {data ? (
        <ul key="systems" className="divide-y divide-line">
          {data.map((system) => (
            <SystemRow key={system.sn} system={system} />
          ))}
        </ul>
      ) : (
        <ul key="waiting" className="divide-y divide-line">
          {expected.map((sn) => (
            <li key={sn} className={rowStyle}>
              <Skeleton className="h-24 sm:h-11" />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function SystemRow({ system }: { system: System }) {
  const { t } = useT()
  return (
    <li className={cn(rowStyle, 'flex flex-wrap items-center gap-x-4 gap-y-3')}>
      <span className="grid size-11 shrink-0 place-items-center rounded-xl bg-surface-2 text-battery-text">
        <BatteryFull aria-hidden className="size-5" />
      </span>
      <div className="min-w-0 flex-1 basis-40">
        <p className="num font-medium break-all">{system.sn}</p>
        <p className="text-[13px] text-muted">{t('systems.phase', { phase: system.phase })}</p>
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

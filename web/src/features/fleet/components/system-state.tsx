import type { ReactNode } from 'react'
import { InForceList } from '@/components/in-force/in-force-list'
import { type InForce, inForceOf } from '@/components/in-force/model'
import type { System } from '@/lib/api/queries'
import { useT } from '@/lib/i18n/use-t'
import type { Live } from '@/lib/live/live'
import { useNow } from '@/lib/use-now'
import { indexOf, rowsOf } from '../model/row'
import { AlarmText } from './alarm-text'
import { StatusMark } from './status-mark'

/** How old a value is changes slowly: this often is often enough. */
const AGE_CHECK = 5_000

type Props = { system: System; live: Live; end: (one: InForce) => ReactNode }

/** How a system is, before anything else on its page: the state that the fleet shows, its worst alarm, what is in force. */
export function SystemState({ system, live, end }: Props) {
  const { t } = useT()
  const now = useNow(AGE_CHECK) + live.skew
  const [row] = rowsOf(indexOf([system]), live, now)
  const entry = live.entries[system.sn]
  if (!row || !entry) return null
  return (
    <section aria-label={t('fleet.column.status')} className="mb-4 grid gap-3 text-[14px]">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1">
        <StatusMark row={row} now={now} className="text-[15px]" />
        {row.alarms.length > 0 && <AlarmText alarms={row.alarms} />}
      </div>
      <InForceList list={inForceOf(entry, now)} timeZone={entry.time_zone} now={now} end={end} />
    </section>
  )
}

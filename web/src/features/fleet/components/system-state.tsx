import { useQuery } from '@tanstack/react-query'
import { Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import { InForceList } from '@/components/in-force/in-force-list'
import { type InForce, inForceOf } from '@/components/in-force/model'
import { textLinkStyle } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { grantsQuery } from '@/lib/data/grants'
import { useT } from '@/lib/i18n/use-t'
import type { Live } from '@/lib/live/live'
import type { Primary } from '../model/primary'
import type { Row } from '../model/row'
import { AlarmText } from './alarm-text'
import { PrimaryAction } from './primary-action'
import { StatusMark } from './status-mark'

type Props = {
  row: Row
  primary: Primary
  live: Live
  /** Server time. */
  now: number
  end: (one: InForce) => ReactNode
}

/** The head of the system page: status, worst alarm, contact, primary action, and what is in force. */
export function SystemState({ row, primary, live, now, end }: Props) {
  const { t } = useT()
  const entry = live.entries[row.sn]
  if (!entry) return null
  return (
    <section aria-label={t('fleet.column.status')} className="mb-4 grid gap-3 text-md">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <StatusMark row={row} now={now} className="text-lg" />
        {row.alarms.length > 0 && <AlarmText alarms={row.alarms} />}
        <CallOwner sn={row.sn} />
        <div className="max-sm:w-full sm:ml-auto">
          <PrimaryAction sn={row.sn} action={primary} />
        </div>
      </div>
      <InForceList list={inForceOf(entry, now)} timeZone={entry.time_zone} now={now} end={end} />
    </section>
  )
}

/** A phone link, if the owner shares the number. */
function CallOwner({ sn }: { sn: string }) {
  const { t } = useT()
  const { data } = useQuery(grantsQuery)
  const phone = data?.held.find((grant) => grant.sn === sn && grant.phone !== null)?.phone
  if (!phone) return null
  return (
    <a
      href={`tel:${phone}`}
      aria-label={t('fleet.call', { phone })}
      className={cn(textLinkStyle, 'num inline-flex min-h-9 items-center gap-2')}
    >
      <Phone aria-hidden className="size-4" />
      {phone}
    </a>
  )
}

import { Link, useParams } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Callout } from '@/components/ui/callout'
import { PageHeading } from '@/components/ui/page-heading'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { useWatch } from '@/lib/live/watched'
import { BeginCard } from './components/begin-card'
import { GuidedList } from './components/guided-list'
import { useCommissioning } from './data'
import { fullName } from './model'

export type Slots = {
  /** A few settings of a unit, which are saved by themselves. */
  settings: (sn: string, names: readonly string[]) => ReactNode
  /** The battery's own test of its meter. */
  meterTest: (units: readonly string[]) => ReactNode
}

/** Brings a system into service, from the unopened box to the protocol: made for one thumb in a cellar. */
export function CommissioningPage(slots: Slots) {
  const { t, locale } = useT()
  const sn = useParams({ strict: false, select: (params: { sn?: string }) => params.sn ?? '' })
  const work = useCommissioning(sn)
  const { data, error } = work.query
  const open = data?.commissioning
  useWatch(open?.units.join())
  const customer = open && fullName(open)
  return (
    <div className="mx-auto max-w-3xl">
      <Link
        to="/electrician-dashboard/$sn"
        params={{ sn }}
        className="mb-2 -ml-1 inline-flex min-h-9 items-center gap-1 rounded-lg px-1 text-sm text-muted hover:text-text"
      >
        <ChevronLeft aria-hidden className="size-4" />
        {t('commissioning.back')}
      </Link>
      <PageHeading aside={[...(open?.units ?? [sn]), customer].filter(Boolean).join(' · ')}>
        {t('commissioning.title')}
      </PageHeading>
      {error && data === undefined ? (
        <Callout tone="danger" title={t('commissioning.failed')}>
          {refusalText(error, t, locale)}
        </Callout>
      ) : data === undefined ? (
        <div aria-busy="true">
          <Skeleton className="h-96" />
        </div>
      ) : data.commissioning === null ? (
        <BeginCard sn={sn} candidates={data.candidates} begin={work.begin} />
      ) : (
        <GuidedList commissioning={data.commissioning} work={work} slots={slots} />
      )}
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { CloudDownload } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { LookOnly } from '@/components/access/look-only'
import { EmptyState } from '@/components/ui/empty-state'
import { NotLoaded } from '@/components/ui/not-loaded'
import { PageHeading } from '@/components/ui/page-heading'
import { PagePart } from '@/components/ui/page-part'
import { Skeleton } from '@/components/ui/skeleton'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { useLookOnly } from '@/lib/use-look-only'
import { HistoryCard } from './history-card'
import { useWizardState } from './memory'
import { isListed, openUpdates, polledSystems } from './model'
import { useStatuses } from './use-statuses'
import { useWizard } from './use-wizard'
import { VersionsCard } from './versions-card'
import { Cancelled, WizardCard } from './wizard-card'

/** @param action a link for when there is nothing to update */
export function UpdatePage({ action }: { action: ReactNode }) {
  const { t } = useT()
  const { data: systems, isError } = useQuery(systemsQuery)
  const serials = useMemo(() => systems?.map(({ sn }) => sn), [systems])
  const { sn: chosen } = useWizardState()
  const { looks, everywhere } = useLookOnly()
  // Systems with look-only access are neither offered nor polled.
  const startable = useMemo(() => serials?.filter((sn) => !looks(sn)), [serials, looks])
  return (
    <>
      <PageHeading>{t('nav.update')}</PageHeading>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
        {/* Without the list of systems there is nothing to poll; the card beside it shows the error. */}
        {everywhere ? (
          <LookOnly />
        ) : serials || !isError ? (
          <PagePart>
            <Updates serials={startable} action={action} />
          </PagePart>
        ) : (
          <div />
        )}
        <div className="grid min-w-0 gap-5">
          <PagePart>
            <VersionsCard />
          </PagePart>
          <PagePart>
            <HistoryCard serials={serials ?? []} chosen={chosen} />
          </PagePart>
        </div>
      </div>
    </>
  )
}

type Props = { serials: readonly string[] | undefined; action: ReactNode }

/** The wizard, or why there is none. */
function Updates({ serials, action }: Props) {
  const { t } = useT()
  const { data: live } = useLive()
  const { sn, step } = useWizardState()
  const hinted = Object.entries(live?.entries ?? {}).flatMap(([serial, entry]) =>
    entry.updatable || entry.update_started ? [serial] : [],
  )
  const jobs = serials && live && openUpdates(serials, live.entries)
  const asked = polledSystems({
    serials: serials ?? [],
    chosen: sn,
    alone: step > 0,
    hinted: [...hinted, ...(jobs ?? [])],
  })
  const { answers, askAgain, isAsking } = useStatuses(asked, sn)
  const wizard = useWizard({ serials, answers, jobs })

  if (wizard.isOpen || answers.some(({ status }) => status && isListed(status)))
    return <WizardCard wizard={wizard} answers={answers} several={(jobs?.length ?? 0) > 1} />
  const failed = answers.find(({ error, status }) => error && !status)?.error
  const waiting = serials === undefined || answers.some(({ status, error }) => !status && !error)
  if (waiting)
    return (
      <div aria-busy>
        <Skeleton key="waiting" className="h-80" />
      </div>
    )
  if (failed)
    return <NotLoaded title={t('update.load_failed')} error={failed} busy={isAsking} onRetry={askAgain} />
  return (
    <div className="grid gap-5">
      <Cancelled />
      <EmptyState icon={CloudDownload} action={action}>
        <span className="mb-1 block text-2xl font-semibold text-text">{t('update.none')}</span>
        {t('update.none.text')}
      </EmptyState>
    </div>
  )
}

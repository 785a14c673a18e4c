import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Dialog } from '@/components/ui/dialog'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { PreChecks } from './components/pre-checks'
import { UpdateProgress } from './components/update-progress'
import { WhatsNew } from './components/whats-new'
import { startUpdate, type UpdateStatus, withdrawUpdate } from './data'
import { canStart, isUnderWay, phaseOf } from './model'
import { useStatuses } from './use-statuses'

type Props = {
  sn: string
  /** The grant's scope is service. */
  service: boolean
}

/** A system's firmware for electricians: new versions, checks and progress. */
export function FirmwareCard({ sn, service }: Props) {
  const { t } = useT()
  const { answers, askAgain, isAsking } = useStatuses([sn], sn)
  const { status, error, at } = answers[0] ?? { status: undefined, error: null, at: 0 }
  return (
    <Card
      title={t('update.remote')}
      description={service ? t('update.remote.text') : undefined}
      aria-busy={!status && !error}
    >
      {!status && error && (
        <NotLoaded title={t('update.load_failed')} error={error} busy={isAsking} onRetry={askAgain} />
      )}
      {!status && !error && <Skeleton key="waiting" className="h-24" />}
      {status && (
        <UpdateDetails
          key="status"
          sn={sn}
          service={service}
          status={status}
          staleSince={error && at > 0 ? at : null}
          askAgain={askAgain}
        />
      )}
    </Card>
  )
}

type UpdateDetailsProps = Props & {
  status: UpdateStatus
  staleSince: number | null
  askAgain: () => Promise<unknown>
}

function UpdateDetails({ sn, service, status, staleSince, askAgain }: UpdateDetailsProps) {
  const { t, locale } = useT()
  const [asking, setAsking] = useState(false)
  const phase = phaseOf(status)
  const start = useMutation({
    mutationFn: () => startUpdate(sn),
    onSuccess: askAgain,
    onSettled: () => setAsking(false),
  })
  const withdraw = useMutation({ mutationFn: () => withdrawUpdate(sn), onSuccess: askAgain })
  const refusal = start.error ?? withdraw.error
  // Closes the question if the update was started elsewhere.
  useEffect(() => {
    if (isUnderWay(phase)) setAsking(false)
  }, [phase])

  if (phase === 'waiting' || phase === 'started')
    return (
      <div className="grid gap-4">
        <UpdateProgress sn={sn} phase={phase} status={status} staleSince={staleSince} />
        {status.switch && <Callout>{t('update.remote.switch')}</Callout>}
        {refusal && <Callout tone="warn">{refusalText(refusal, t, locale)}</Callout>}
        {phase === 'waiting' && service && (
          <Button
            variant="outline"
            busy={withdraw.isPending}
            onClick={() => withdraw.mutate()}
            className="justify-self-start"
          >
            {t('update.withdraw')}
          </Button>
        )}
      </div>
    )
  const parts = status.updates.filter((part) => part.new_update)
  return (
    <div className="grid gap-5">
      {phase === 'interrupted' && (
        <Callout tone="warn" title={t(status.state === 'failed' ? 'update.failed' : 'update.interrupted')}>
          {status.error?.text}
        </Callout>
      )}
      {phase === 'finished' && (
        <Callout tone="ok" title={t('update.remote.finished')}>
          {status.switch === 'on' && t('update.remote.switch_on')}
        </Callout>
      )}
      {status.state === 'expired' && (
        <Callout title={t('update.cancelled.expired')}>{t('update.cancelled.text')}</Callout>
      )}
      {refusal && (
        <Callout tone="warn" title={t('update.refused')}>
          {refusalText(refusal, t, locale)}
        </Callout>
      )}
      {parts.length === 0 || !status.new_update ? (
        phase !== 'finished' && <p className="text-md text-muted">{t('update.remote.none')}</p>
      ) : (
        <>
          <div className="grid gap-6 md:grid-cols-2">
            {service && <PreChecks status={status} />}
            <WhatsNew parts={parts} />
          </div>
          {service ? (
            <Button
              disabled={!canStart(phase, status)}
              onClick={() => setAsking(true)}
              className="justify-self-start"
            >
              {t('update.remote.start')}
            </Button>
          ) : (
            <p className="text-md text-muted">{t('update.remote.no_service')}</p>
          )}
        </>
      )}
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={t('update.confirm')}
        description={t('update.confirm.text', { sn })}
        footer={
          <>
            <Button variant="outline" onClick={() => setAsking(false)}>
              {t('ui.no')}
            </Button>
            <Button busy={start.isPending} onClick={() => start.mutate()}>
              {t('update.remote.start')}
            </Button>
          </>
        }
      >
        <Callout>{t('update.remote.told')}</Callout>
      </Dialog>
    </div>
  )
}

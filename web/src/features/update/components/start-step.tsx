import { Callout } from '@/components/ui/callout'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import type { WizardControl } from '../use-wizard'
import { PreChecks } from './pre-checks'
import { UpdateProgress } from './update-progress'
import { WhatsNew } from './whats-new'

/** The content of the update and its checks; after the start, its progress. */
export function StartStep({ wizard: { sn, phase, status, staleSince, refusal } }: { wizard: WizardControl }) {
  const { t, locale } = useT()
  if (phase === 'waiting' || phase === 'started')
    return <UpdateProgress sn={sn} phase={phase} status={status} staleSince={staleSince} />
  if (!status) return <Skeleton key="waiting" className="h-60" />
  return (
    <div className="grid gap-5">
      {phase === 'interrupted' && (
        <Callout tone="warn" title={t(status.state === 'failed' ? 'update.failed' : 'update.interrupted')}>
          {status.error && <p>{status.error.text}</p>}
          <p>{t('update.restart')}</p>
        </Callout>
      )}
      {refusal && (
        <Callout tone="warn" title={t('update.refused')}>
          {refusalText(refusal, t, locale)}
        </Callout>
      )}
      <div className="grid gap-6 md:grid-cols-2">
        <PreChecks status={status} />
        <WhatsNew parts={status.updates.filter((part) => part.new_update)} />
      </div>
    </div>
  )
}

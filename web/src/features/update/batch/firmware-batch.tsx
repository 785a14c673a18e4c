import { useMutation, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { AskAccess } from '@/components/access/ask-access'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Dialog } from '@/components/ui/dialog'
import { useT } from '@/lib/i18n/use-t'
import { startUpdate, statusQuery } from '../data'
import { BatchRow } from './batch-row'
import {
  byHousehold,
  type Candidate,
  countsOf,
  needsStatus,
  runConcurrently,
  type StartOutcome,
  type StartOutcomes,
  startStateOf,
  startTogether,
} from './model'

/** Concurrent starts; the server handles more of them one by one anyway. */
const AT_ONCE = 3

type Props = { candidates: readonly Candidate[]; open: boolean; onClose: () => void }

/** Updates several systems: which are ready and why others are not, the start, and each result. */
export function FirmwareBatch({ candidates, open, onClose }: Props) {
  const { t, locale } = useT()
  const [outcomes, setOutcomes] = useState<StartOutcomes>({})
  const asked = useQueries({
    queries: candidates.map((candidate) => ({
      ...statusQuery(candidate.sn, locale),
      enabled: open && needsStatus(candidate),
      // The start uses exactly the statuses that the list has shown.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
    })),
  })
  const all = candidates.map((candidate, place) => {
    const { data: status, error } = asked[place] ?? { data: undefined, error: null }
    return { candidate, status, startState: startStateOf(candidate, { status, error }) }
  })
  // Startable systems come first. This order does not depend on the answers, so no row moves.
  const rows = [true, false].flatMap((first) =>
    all.filter(({ candidate }) => needsStatus(candidate) === first),
  )
  const ready = rows.filter(({ startState }) => startState === 'ready').map(({ candidate }) => candidate.sn)
  const refused = rows
    .filter(({ startState }) => startState === 'no_service')
    .map(({ candidate }) => candidate.sn)
  const asking = rows.some(({ startState }) => startState === 'asking')
  const { starting, started, failed } = countsOf(outcomes)
  const begun = Object.keys(outcomes).length > 0
  const startable = !begun && !asking && ready.length > 0
  const failures = Object.entries(outcomes).filter(([, { state }]) => state === 'failed')

  const mark = (sn: string, outcome: StartOutcome) => setOutcomes((before) => ({ ...before, [sn]: outcome }))
  const start = useMutation({
    mutationFn: (serials: readonly string[]) =>
      runConcurrently(byHousehold(serials, candidates), AT_ONCE, (household) =>
        startTogether(household, startUpdate, mark),
      ),
  })
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      tall
      title={t('update.batch.title')}
      className="sm:max-w-2xl"
      footer={
        <>
          <Button variant="outline" onClick={onClose}>
            {t(startable || asking ? 'ui.cancel' : 'ui.close')}
          </Button>
          {startable && (
            <Button onClick={() => start.mutate(ready)}>
              {t('update.batch.start', { count: ready.length })}
            </Button>
          )}
          {begun && (failures.length > 0 || start.isPending) && (
            <Button busy={start.isPending} onClick={() => start.mutate(failures.map(([sn]) => sn))}>
              {t('update.batch.again', { count: failures.length })}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-4">
        <p role="status" className="num text-lg">
          {begun
            ? starting === 0 && t('update.batch.result', { started, failed })
            : asking
              ? t('update.batch.asking')
              : t('update.batch.ready', { ready: ready.length, count: candidates.length })}
        </p>
        <section
          aria-label={t('update.batch.title')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by the keyboard
          tabIndex={0}
          className="max-h-[48dvh] overflow-y-auto rounded-xl border border-line px-4"
        >
          <ul className="divide-y divide-line">
            {rows.map(({ candidate, status, startState }) => (
              <BatchRow
                key={candidate.sn}
                candidate={candidate}
                status={status}
                startState={startState}
                outcome={outcomes[candidate.sn]}
              />
            ))}
          </ul>
        </section>
        {startable && <Callout>{t('update.batch.told')}</Callout>}
        {!begun && refused.length > 0 && (
          <AskAccess
            requests={refused.map((sn) => ({ sn, scope: 'service' }))}
            variant="outline"
            size="s"
            className="justify-self-start"
          >
            {t('update.batch.ask', { count: refused.length })}
          </AskAccess>
        )}
      </div>
    </Dialog>
  )
}

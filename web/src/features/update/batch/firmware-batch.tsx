import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AskAccess } from '@/components/access/ask-access'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Dialog } from '@/components/ui/dialog'
import { useT } from '@/lib/i18n/use-t'
import { startUpdate, statusQuery } from '../api'
import { BatchRow } from './batch-row'
import {
  byHousehold,
  type Candidate,
  countsOf,
  eachOf,
  isAsked,
  type Outcome,
  type Outcomes,
  standingOf,
  startTogether,
} from './model'

/** The server answers each start by itself; more at once would only wait there. */
const AT_ONCE = 3

type Props = { candidates: readonly Candidate[]; open: boolean; onClose: () => void }

/** New firmware for several systems: where there is some and where not and why, the start, and how it ended at each. */
export function FirmwareBatch({ candidates, open, onClose }: Props) {
  const { t, locale } = useT()
  const queries = useQueryClient()
  const [outcomes, setOutcomes] = useState<Outcomes>({})
  const asked = useQueries({
    queries: candidates.map((candidate) => ({
      ...statusQuery(candidate.sn, locale),
      enabled: open && isAsked(candidate),
      // What was said when the list was shown is what is started.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
    })),
  })
  const all = candidates.map((candidate, place) => {
    const { data: status, error } = asked[place] ?? { data: undefined, error: null }
    return { candidate, status, standing: standingOf(candidate, { status, error }) }
  })
  // First what may be started; who is asked does not change, so that no row jumps when an answer comes.
  const rows = [true, false].flatMap((first) => all.filter(({ candidate }) => isAsked(candidate) === first))
  const ready = rows.filter(({ standing }) => standing === 'ready').map(({ candidate }) => candidate.sn)
  const refused = rows
    .filter(({ standing }) => standing === 'no_service')
    .map(({ candidate }) => candidate.sn)
  const asking = rows.some(({ standing }) => standing === 'asking')
  const { starting, started, failed } = countsOf(outcomes)
  const begun = Object.keys(outcomes).length > 0
  const startable = !begun && !asking && ready.length > 0
  const failures = Object.entries(outcomes).filter(([, { state }]) => state === 'failed')

  const mark = (sn: string, outcome: Outcome) => setOutcomes((before) => ({ ...before, [sn]: outcome }))
  const start = useMutation({
    mutationFn: (serials: readonly string[]) =>
      eachOf(byHousehold(serials, candidates), AT_ONCE, async (household) => {
        await startTogether(household, startUpdate, mark)
        for (const sn of household) void queries.invalidateQueries({ queryKey: ['update-history', sn] })
      }),
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
        <p role="status" className="num text-[15px]">
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
            {rows.map(({ candidate, status, standing }) => (
              <BatchRow
                key={candidate.sn}
                candidate={candidate}
                status={status}
                standing={standing}
                outcome={outcomes[candidate.sn]}
              />
            ))}
          </ul>
        </section>
        {startable && <Callout>{t('update.batch.told')}</Callout>}
        {!begun && refused.length > 0 && (
          <AskAccess
            wishes={refused.map((sn) => ({ sn, scope: 'service' }))}
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

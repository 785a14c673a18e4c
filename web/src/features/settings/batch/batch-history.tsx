import { useMutation, useQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Dialog } from '@/components/ui/dialog'
import { Skeleton } from '@/components/ui/skeleton'
import type { System } from '@/lib/data/systems'
import { refusalText } from '@/lib/form/refusal-text'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { BatchResult } from './batch-result'
import { type Batch, batchesQuery, undoBatch, undoTrialQuery } from './data'
import { countsOf, isSettingName } from './model'

/** The batches of the last 30 days, which can be undone. */
export function BatchHistory({ systems }: { systems: readonly System[] }) {
  const { t, locale } = useT()
  const { data: batches, error } = useQuery(batchesQuery)
  const [undoing, setUndoing] = useState<{ id: string; number: number; open: boolean } | null>(null)
  return (
    <Card title={t('batch.history')} description={t('batch.history.text')} aria-busy={!batches && !error}>
      {error && <Callout tone="danger">{refusalText(error, t, locale)}</Callout>}
      {!batches && !error && <Skeleton className="h-24" />}
      {batches?.length === 0 && <p className="text-md text-muted">{t('batch.history.none')}</p>}
      <ul className="divide-y divide-line">
        {batches?.map((batch) => (
          <BatchRow
            key={batch.id}
            batch={batch}
            onUndo={() =>
              setUndoing((before) => ({ id: batch.id, number: (before?.number ?? 0) + 1, open: true }))
            }
          />
        ))}
      </ul>
      {undoing && (
        <UndoDialog
          key={undoing.number}
          id={undoing.id}
          open={undoing.open}
          systems={systems}
          onClose={() => setUndoing((before) => before && { ...before, open: false })}
        />
      )}
    </Card>
  )
}

function BatchRow({ batch: { created_at, systems }, onUndo }: { batch: Batch; onUndo: () => void }) {
  const { t, locale } = useT()
  const open = systems.filter(({ undone_at }) => undone_at === null).length
  const fields = new Set(systems.flatMap(({ changes }) => changes.map(({ field }) => field)))
  const at = formatDateTime(created_at, { locale })
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-3 text-md">
      <div className="min-w-0">
        <p className="num font-medium">{at}</p>
        <p className="num text-muted">
          {t('batch.history.systems', { count: systems.length })}
          {' · '}
          {[...fields].map((field) => (isSettingName(field) ? t(`setting.${field}`) : field)).join(', ')}
        </p>
        {open < systems.length && (
          <p className="num text-muted">
            {t('batch.history.undone', { count: systems.length - open, all: systems.length })}
          </p>
        )}
      </div>
      {open > 0 && (
        <Button variant="outline" size="s" aria-label={t('batch.undo.label', { at })} onClick={onUndo}>
          <Undo2 aria-hidden className="size-4" />
          {t('batch.undo')}
        </Button>
      )}
    </li>
  )
}

type UndoProps = { id: string; open: boolean; systems: readonly System[]; onClose: () => void }

/** Shows the dry run of the undo, and then its result. */
function UndoDialog({ id, open, systems, onClose }: UndoProps) {
  const { t, locale } = useT()
  const undo = useMutation({
    mutationFn: () => undoBatch(id),
    onSuccess: (outcome) => {
      const { changed } = countsOf(outcome)
      if (changed > 0) notify.success(t('batch.undone', { count: changed }))
    },
  })
  const trial = useQuery({ ...undoTrialQuery(id), enabled: open && !undo.data && !undo.isPending })
  const outcome = undo.data ?? trial.data
  const failure = undo.error ?? trial.error
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t('batch.undo.title')}
      description={t(undo.data ? 'batch.result.text' : 'batch.undo.text')}
      tall
      footer={
        undo.data ? (
          <Button onClick={onClose}>{t('ui.close')}</Button>
        ) : (
          <>
            <Button variant="outline" onClick={onClose}>
              {t('ui.no')}
            </Button>
            <Button
              busy={undo.isPending}
              disabled={!outcome || countsOf(outcome).changed === 0}
              onClick={() => undo.mutate()}
            >
              {t('batch.undo')}
            </Button>
          </>
        )
      }
    >
      {failure && <Callout tone="danger">{refusalText(failure, t, locale)}</Callout>}
      {!outcome && !failure && <Skeleton className="h-40" />}
      {outcome && <BatchResult outcome={outcome} all={systems} />}
    </Dialog>
  )
}

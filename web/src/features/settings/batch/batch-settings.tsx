import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Checkbox } from '@/components/ui/checkbox'
import { EmptyState } from '@/components/ui/empty-state'
import { Skeleton } from '@/components/ui/skeleton'
import { type System, systemsQuery } from '@/lib/data/systems'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import type { Draft } from '../model/draft'
import type { SettingName } from '../model/fields'
import { BatchFields } from './batch-fields'
import { BatchHistory } from './batch-history'
import { BatchResult } from './batch-result'
import { ChooseSystems } from './choose-systems'
import { applyBatch, type BatchOutcome, sampleQuery, tryBatch } from './data'
import {
  countsOf,
  draftOf,
  findingsOf,
  firstText,
  formSystems,
  maySet,
  needsNotice,
  readSerials,
  refusedSerials,
  SAMPLE_SIZE,
  sentFields,
} from './model'
import { TemplatesCard } from './templates-card'

/** Changes settings of many systems: select systems, choose changes, check the dry run, save. */
export function BatchSettings() {
  const { t } = useT()
  const { data: systems, error } = useQuery(systemsQuery)
  const { locale } = useT()
  if (error && !systems)
    return (
      <Callout tone="danger" title={t('systems.failed')}>
        {refusalText(error, t, locale)}
      </Callout>
    )
  if (!systems)
    return (
      <div aria-busy="true">
        <Skeleton className="h-160" />
      </div>
    )
  if (!systems.some(maySet)) return <EmptyState icon={SlidersHorizontal}>{t('batch.none')}</EmptyState>
  return <Batch systems={systems} />
}

type Step = { kind: 'form' } | { kind: 'tried' | 'done'; outcome: BatchOutcome }

function Batch({ systems }: { systems: readonly System[] }) {
  const { t, locale } = useT()
  const named = useSearch({ strict: false, select: ({ sn }: { sn?: unknown }) => readSerials(sn).join() })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(named.split(',').filter(Boolean)))
  const [draft, setDraft] = useState<Draft>({})
  const [errors, setErrors] = useState<Partial<Record<SettingName, string>>>({})
  const [acknowledged, setAcknowledged] = useState(false)
  const [step, setStep] = useState<Step>({ kind: 'form' })
  const [attempt, setAttempt] = useState(0)
  const place = useRef<HTMLDivElement>(null)

  // Systems whose access has ended are dropped from the selection.
  const serials = useMemo(
    () => systems.filter(({ sn }) => chosen.has(sn)).map(({ sn }) => sn),
    [systems, chosen],
  )
  const settable = systems.filter((system) => maySet(system))
  const asked = serials.filter((sn) => settable.some((system) => system.sn === sn))
  // Without a selection the first system provides the available settings.
  const sampled = (asked.length > 0 ? asked : settable.map(({ sn }) => sn).slice(0, 1)).slice(0, SAMPLE_SIZE)
  const sample = useQuery({ ...sampleQuery(sampled), placeholderData: (before) => before })
  const form = useMemo(
    () => sample.data && formSystems(sample.data, asked.length <= SAMPLE_SIZE),
    [sample.data, asked.length],
  )
  const all = asked.length > 0 && asked.length <= SAMPLE_SIZE && !sample.isPlaceholderData
  const chosenForm = form && all ? form : null
  const notice = form ? needsNotice(draft, form) : false
  const batch = { fields: sentFields(draft), acknowledged: notice && acknowledged }
  const count = Object.keys(batch.fields).length

  useEffect(() => {
    if (attempt > 0) place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempt])
  // A result below the visible area is scrolled into view and announced.
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (step.kind !== 'form') result.current?.focus()
  }, [step])

  /** Any change invalidates the last dry run. */
  function change(next: { chosen?: ReadonlySet<string>; draft?: Draft }) {
    if (next.chosen) setChosen(next.chosen)
    if (next.draft) setDraft(next.draft)
    setStep({ kind: 'form' })
  }

  const trial = useMutation({
    mutationFn: () => tryBatch(serials, batch),
    onSuccess: (outcome) => setStep({ kind: 'tried', outcome }),
  })
  const apply = useMutation({
    mutationFn: (tried: BatchOutcome) => applyBatch(tried, batch),
    onSuccess: (outcome) => {
      setStep({ kind: 'done', outcome })
      const { changed } = countsOf(outcome)
      if (changed > 0) notify.success(t('batch.done', { count: changed }))
    },
  })

  function check() {
    const found = form ? findingsOf(draft, form) : {}
    setErrors(found)
    if (Object.keys(found).length > 0) setAttempt((before) => before + 1)
    else trial.mutate()
  }

  const outcome = step.kind === 'form' ? null : step.outcome
  const failure = step.kind === 'form' ? trial.error : apply.error
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
      <div ref={place} className="grid min-w-0 gap-5">
        <ChooseSystems systems={systems} chosen={chosen} onChange={(next) => change({ chosen: next })} />
        <Card title={t('batch.fields')} description={t('batch.fields.text')} aria-busy={!form}>
          {form ? (
            <BatchFields
              key="fields"
              systems={form}
              readable={chosenForm !== null}
              draft={draft}
              errors={errors}
              onTick={(name, on) => {
                const { [name]: _, ...rest } = draft
                change({ draft: on ? { ...rest, [name]: firstText(form, name, locale) } : rest })
              }}
              onChange={(name, text) => {
                setErrors((before) => ({ ...before, [name]: undefined }))
                change({ draft: { ...draft, [name]: text } })
              }}
            />
          ) : sample.error ? (
            <Callout tone="danger">{refusalText(sample.error, t, locale)}</Callout>
          ) : (
            <Skeleton key="waiting" className="h-60" />
          )}
          {notice && (
            <Callout tone="warn" title={t('settings.notice_14a.title')} className="mt-4">
              <p>{t('settings.notice_14a')}</p>
              <Checkbox
                label={t('settings.notice_14a.acknowledge')}
                checked={acknowledged}
                onChange={({ target }) => {
                  setAcknowledged(target.checked)
                  setStep({ kind: 'form' })
                }}
              />
            </Callout>
          )}
          <div className="mt-5 flex flex-wrap items-center gap-3">
            <Button busy={trial.isPending} disabled={count === 0 || serials.length === 0} onClick={check}>
              {t('batch.try')}
            </Button>
            <p role="status" className="num text-sm text-muted">
              {t('batch.chosen', { systems: serials.length, fields: count })}
            </p>
          </div>
        </Card>
        {failure && (
          <Callout tone="danger" title={t('batch.failed')}>
            {refusalText(failure, t, locale)}
          </Callout>
        )}
        {outcome && (
          <div ref={result} tabIndex={-1} className="min-w-0 rounded-2xl outline-none">
            <Card
              title={t(step.kind === 'tried' ? 'batch.tried' : 'batch.result')}
              description={t(step.kind === 'tried' ? 'batch.tried.text' : 'batch.result.text')}
            >
              <BatchResult outcome={outcome} all={systems} />
              <div className="mt-5 flex flex-wrap gap-3">
                {step.kind === 'tried' && countsOf(outcome).changed === 0 ? (
                  <p className="text-md text-muted">{t('batch.apply.none')}</p>
                ) : step.kind === 'tried' ? (
                  <Button busy={apply.isPending} onClick={() => apply.mutate(outcome)}>
                    {t('batch.apply', { count: countsOf(outcome).changed })}
                  </Button>
                ) : (
                  refusedSerials(outcome).length > 0 && (
                    <Button
                      variant="outline"
                      onClick={() => change({ chosen: new Set(refusedSerials(outcome)) })}
                    >
                      {t('batch.go_on', { count: refusedSerials(outcome).length })}
                    </Button>
                  )
                )}
              </div>
            </Card>
          </div>
        )}
      </div>
      <div className="grid min-w-0 gap-5">
        <TemplatesCard
          fields={batch.fields}
          systems={chosenForm}
          onUse={(template) => form && change({ draft: { ...draft, ...draftOf(template, form, locale) } })}
        />
        <BatchHistory systems={systems} />
      </div>
    </div>
  )
}

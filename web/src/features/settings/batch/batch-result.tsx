import { ArrowRight, CircleAlert, CircleCheck, CircleMinus } from 'lucide-react'
import { useMemo } from 'react'
import { AskAccess } from '@/components/access/ask-access'
import { cn } from '@/lib/cn'
import type { System } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { type Value, valueText } from '../model/fields'
import type { BatchOutcome, FieldChange, SystemOutcome } from './data'
import { countsOf, customerOf, inOrder, isSettingName, type Result } from './model'
import { useSpecs } from './use-specs'

const STYLES: Record<Result, { icon: typeof CircleCheck; mark: string }> = {
  changed: { icon: CircleCheck, mark: 'text-ok' },
  unchanged: { icon: CircleMinus, mark: 'text-muted' },
  refused: { icon: CircleAlert, mark: 'text-danger' },
}

type Props = { outcome: BatchOutcome; all: readonly System[] }

/** The result of a batch for each system: changes from and to, or the reason of a refusal. */
export function BatchResult({ outcome, all }: Props) {
  const { t } = useT()
  const counts = countsOf(outcome)
  const kind = outcome.dry_run ? 'tried' : 'result'
  const names = useMemo(() => new Map(all.map((system) => [system.sn, customerOf(system)])), [all])
  return (
    <>
      <p role="status" className="num text-md font-medium">
        {[
          t(`batch.${kind}.changed`, { count: counts.changed }),
          counts.unchanged > 0 && t('batch.unchanged', { count: counts.unchanged }),
          counts.refused > 0 && t(`batch.${kind}.refused`, { count: counts.refused }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {counts.offline > 0 && (
        <p className="num mt-1 text-sm text-muted">{t('batch.offline', { count: counts.offline })}</p>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: these are no fields of a form */}
      <div
        role="group"
        aria-label={t(`batch.${kind}`)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by the keyboard
        tabIndex={0}
        className="mt-3 max-h-[32rem] overflow-y-auto rounded-xl border border-line px-4"
      >
        <ul className="divide-y divide-line">
          {inOrder(outcome).map((system) => (
            <Row key={system.sn} system={system} name={names.get(system.sn) ?? ''} kind={kind} />
          ))}
        </ul>
      </div>
    </>
  )
}

type RowProps = { system: SystemOutcome; name: string; kind: 'tried' | 'result' }

function Row({ system, name, kind }: RowProps) {
  const { t } = useT()
  const { icon: Icon, mark } = STYLES[system.result]
  const word =
    system.result === 'unchanged' ? t('batch.word.unchanged') : t(`batch.word.${kind}.${system.result}`)
  return (
    <li className="flex gap-3 py-3 text-md" data-result={system.result}>
      <Icon aria-hidden className={cn('mt-0.5 size-4.5 shrink-0', mark)} />
      <div className="min-w-0 flex-1">
        <p className="num flex flex-wrap gap-x-2">
          {name && <span className="font-medium">{name}</span>}
          <span className={name ? 'text-muted' : 'font-medium'}>{system.sn}</span>
          <span className={mark}>{word}</span>
          {system.result === 'changed' && !system.online && (
            <span className="text-muted">{t('batch.word.offline')}</span>
          )}
        </p>
        {system.changes.length > 0 && (
          <ul className="mt-1 grid gap-0.5">
            {system.changes.map((change) => (
              <Change key={change.field} change={change} />
            ))}
          </ul>
        )}
        {system.problems.map(({ field, text, max }) => (
          <p key={`${field} ${text}`} className="mt-1">
            {isSettingName(field) && `${t(`setting.${field}`)}: `}
            {text} {max != null && <Limit field={field} max={max} />}
          </p>
        ))}
        {kind === 'tried' && system.problems.some(({ code }) => code === 'scope_too_small') && (
          <AskAccess
            requests={[{ sn: system.sn, scope: 'service' }]}
            variant="outline"
            size="s"
            className="mt-2"
            aria-label={t('ask.service.label', { sn: system.sn })}
          >
            {t('ask.service')}
          </AskAccess>
        )}
        {system.warnings.map(({ field, text }) => (
          <p key={`${field} ${text}`} className="mt-1 text-warn">
            {text}
          </p>
        ))}
        <SkippedFields system={system} />
      </div>
    </li>
  )
}

/** The maximum of this unit. */
function Limit({ field, max }: { field: string; max: number }) {
  const { t } = useT()
  const text = useValueText(field)
  return <span className="num font-medium">{t('batch.limit', { max: text(max) })}</span>
}

/** "Reserve: 10 % → 30 %" */
function Change({ change: { field, from, to } }: { change: FieldChange }) {
  const { t } = useT()
  const text = useValueText(field)
  if (!isSettingName(field)) return null
  return (
    <li className="num flex flex-wrap items-baseline gap-x-2">
      <span className="text-muted">{t(`setting.${field}`)}:</span>
      <span className="sr-only">{t('settings.from')}</span>
      <span>{text(from ?? null)}</span>
      <ArrowRight aria-hidden className="size-3.5 self-center text-muted" />
      <span className="sr-only">{t('settings.to')}</span>
      <span className="font-medium">{text(to ?? null)}</span>
    </li>
  )
}

/** Values that the undo does not change, with reasons. */
function SkippedFields({ system: { left } }: { system: SystemOutcome }) {
  const { t } = useT()
  return left.map(({ field, now, why }) =>
    isSettingName(field) ? (
      <p key={field} className="mt-1 text-warn">
        {t(`setting.${field}`)}: {t(`batch.left.${why}`)} <ValueNow field={field} value={now ?? null} />
      </p>
    ) : null,
  )
}

function ValueNow({ field, value }: { field: string; value: Value }) {
  const { t } = useT()
  const text = useValueText(field)
  return <span className="num">{t('batch.left.now', { value: text(value) })}</span>
}

function useValueText(field: string) {
  const { t, locale } = useT()
  const specs = useSpecs()
  const spec = specs?.[field]
  return (value: Value) => (spec ? valueText(value, spec, t, locale) : String(value ?? ''))
}

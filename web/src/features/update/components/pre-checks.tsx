import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { cn } from '@/lib/cn'
import { joinQuantity, percentQuantity } from '@/lib/format'
import { type Translate, useT } from '@/lib/i18n/use-t'
import type { UpdateStatus } from '../data'
import { type CheckLine, checkLines } from '../model'

const STYLES = {
  ok: { icon: CircleCheck, mark: 'text-ok' },
  warn: { icon: TriangleAlert, mark: 'text-warn' },
  danger: { icon: CircleAlert, mark: 'text-danger' },
} as const

/** The checks before the start, from what the battery reports now. */
export function PreChecks({ status }: { status: UpdateStatus }) {
  const { t, locale } = useT()
  const { soc: percent } = status.checks
  const soc = percent === null ? null : joinQuantity(percentQuantity(percent, locale))
  return (
    <section aria-labelledby="update-checks" className="grid content-start gap-3">
      <h3 id="update-checks" className="text-lg font-semibold">
        {t('update.checks')}
      </h3>
      <ul aria-live="polite" className="grid gap-2.5">
        {checkLines(status).map((line) => {
          const { icon: Icon, mark } = STYLES[line.tone]
          return (
            <li key={line.check} data-tone={line.tone} className="flex gap-2.5 text-md">
              <Icon aria-hidden className={cn('mt-0.5 size-4.5 shrink-0', mark)} />
              <p className="min-w-0">
                <span className="sr-only">{t(`ui.tone.${line.tone}`)}: </span>
                {checkText(line, soc, t)}
              </p>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function checkText({ check, tone }: CheckLine, soc: string | null, t: Translate): string {
  if (check === 'soc' && soc === null) return t('update.check.soc.unknown')
  if (check === 'running') return t('update.check.running.yes')
  return t(`update.check.${check}.${tone === 'ok' ? 'yes' : 'no'}`, { soc })
}

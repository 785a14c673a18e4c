import { Check } from 'lucide-react'
import { cn } from '@/lib/cn'
import { WIZARD_STEPS } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'

const STEPS = Array.from({ length: WIZARD_STEPS }, (_, step) => step as 0 | 1 | 2)

/** The steps of the wizard. On a phone only the current step has its name. */
export function StepList({ step }: { step: number }) {
  const { t } = useT()
  return (
    <ol aria-label={t('update.steps')} className="flex items-center gap-x-2 sm:gap-x-3">
      {STEPS.map((place) => (
        <li
          key={place}
          aria-current={place === step ? 'step' : undefined}
          className={cn(
            'flex min-w-0 items-center gap-2 text-sm leading-tight font-medium',
            place === step ? 'text-text' : 'text-muted',
            place > 0 &&
              'before:h-px before:w-3 before:shrink-0 before:bg-line-strong sm:before:mr-1 sm:before:w-8',
          )}
        >
          <span
            className={cn(
              'num grid size-7 shrink-0 place-items-center rounded-full border',
              place < step && 'border-accent text-battery-text',
              place === step && 'border-accent bg-accent text-on-accent',
              place > step && 'border-line-strong',
            )}
          >
            {place < step ? <Check aria-hidden className="size-4" /> : place + 1}
          </span>
          <span className={cn(place !== step && 'max-sm:sr-only')}>{t(`update.step.${place}`)}</span>
          {place < step && <span className="sr-only">{t('ui.tone.ok')}</span>}
        </li>
      ))}
    </ol>
  )
}

import { CalendarClock, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'
import { labelsOf, toneOf } from './model/messages'
import type { Reading } from './model/reading'

type Props = {
  reading: Reading
  /** Serial numbers of the systems that the sum lacks. */
  silent: readonly string[]
}

/** Notices for the owner: silent systems, states of the battery, the next calibration. */
export function Notices({ reading: { flags, calibrationDays }, silent }: Props) {
  const { t } = useT()
  return (
    <div className="grid gap-3 empty:hidden lg:grid-cols-2">
      {silent.length > 0 && (
        <Callout
          tone="warn"
          title={t('notice.silent', { count: silent.length, serials: silent.join(', ') })}
          className="wrap-anywhere"
        >
          {t('notice.silent.text', { count: silent.length })}
        </Callout>
      )}
      {labelsOf(flags).map((label) => (
        <Callout key={label} tone={toneOf(label)} title={t(`flag.${label}`)}>
          {t(`flag.${label}.text`)}
        </Callout>
      ))}
      {calibrationDays !== null && (
        <Notice icon={CalendarClock} title={t('notice.calibration', { days: calibrationDays })}>
          {t('notice.calibration.text')}
        </Notice>
      )}
    </div>
  )
}

type NoticeProps = { icon: LucideIcon; title: string; children: ReactNode }

/** An announcement; calmer than a callout because nothing is wrong. */
function Notice({ icon: Icon, title, children }: NoticeProps) {
  return (
    <div className="flex gap-3 rounded-xl bg-info-bg p-3.5">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-grid-text" />
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="text-sm text-muted">{children}</p>
      </div>
    </div>
  )
}

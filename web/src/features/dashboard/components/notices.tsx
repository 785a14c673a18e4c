import { CalendarClock, CloudRainWind, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Callout } from '@/components/ui/callout'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { labelsOf, toneOf } from '../model/messages'
import type { Reading } from '../model/reading'

type Props = {
  reading: Reading
  /** Little sun is expected: the storage may run empty. */
  badWeather?: boolean
}

/** What the owner should know now: states of the battery, bad weather, the next calibration. */
export function Notices({ reading: { flags, calibrationDays }, badWeather = false }: Props) {
  const { t } = useT()
  return (
    <div className="grid gap-3 empty:hidden lg:grid-cols-2">
      {labelsOf(flags).map((label) => (
        <Callout key={label} tone={toneOf(label)} title={t(`flag.${label}`)}>
          {t(`flag.${label}.text`)}
        </Callout>
      ))}
      {badWeather && (
        <Notice icon={CloudRainWind} tone="warn" title={t('notice.weather')}>
          {t('notice.weather.text')}
        </Notice>
      )}
      {calibrationDays !== null && (
        <Notice icon={CalendarClock} tone="info" title={t('notice.calibration', { days: calibrationDays })}>
          {t('notice.calibration.text')}
        </Notice>
      )}
    </div>
  )
}

const LOOK = {
  warn: { box: 'bg-warn-bg', mark: 'text-warn' },
  info: { box: 'bg-info-bg', mark: 'text-grid-text' },
} as const

type NoticeProps = { icon: LucideIcon; tone: keyof typeof LOOK; title: string; children: ReactNode }

/** Something that is coming: calmer than a callout, for nothing is wrong. */
function Notice({ icon: Icon, tone, title, children }: NoticeProps) {
  const { box, mark } = LOOK[tone]
  return (
    <div className={cn('flex gap-3 rounded-xl p-3.5', box)}>
      <Icon aria-hidden className={cn('mt-0.5 size-5 shrink-0', mark)} />
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="text-[13px] text-muted">{children}</p>
      </div>
    </div>
  )
}

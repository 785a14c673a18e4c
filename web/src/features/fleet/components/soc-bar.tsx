import { cn } from '@/lib/cn'
import { joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'

/** How full a battery is, as a bar and a number. An old value is grey. */
export function SocBar({ soc, live }: { soc: number | null; live: boolean }) {
  const { t, locale } = useT()
  if (soc === null)
    return (
      <span className="text-muted">
        <span aria-hidden>–</span>
        <span className="sr-only">{t('value.unknown')}</span>
      </span>
    )
  return (
    <span className={cn('flex items-center gap-2', !live && 'text-muted')}>
      <svg aria-hidden viewBox="0 0 36 6" className="h-1.5 w-9 shrink-0">
        <rect width="36" height="6" rx="3" fill="var(--surface-2)" />
        {soc > 0 && (
          <rect
            width={Math.max(4, (36 * Math.min(100, soc)) / 100)}
            height="6"
            rx="3"
            fill={live ? 'var(--battery)' : 'var(--muted)'}
          />
        )}
      </svg>
      <span className="whitespace-nowrap">{joinQuantity(percentQuantity(soc, locale))}</span>
    </span>
  )
}

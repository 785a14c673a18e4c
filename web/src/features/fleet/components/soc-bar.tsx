import { cn } from '@/lib/cn'
import { joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'

/** The state of charge as a bar and a number; grey if it is old. */
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
      <span aria-hidden className="h-1.5 w-9 shrink-0 rounded-full bg-surface-2">
        {soc > 0 && (
          <span
            className={cn('block h-full min-w-1 rounded-full', live ? 'bg-battery' : 'bg-muted')}
            style={{ width: `${Math.min(100, soc)}%` }}
          />
        )}
      </span>
      <span className="whitespace-nowrap">{joinQuantity(percentQuantity(soc, locale))}</span>
    </span>
  )
}

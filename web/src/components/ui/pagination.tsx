import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useT } from '@/lib/i18n/use-t'
import { Button } from './button'
import { shownPages } from './pages'

type Props = {
  /** The list's name for screen readers. */
  label: string
  page: number
  count: number
  onChange: (page: number) => void
}

/** Previous, up to five numbers, next. Hidden if there is only one page. */
export function Pagination({ label, page, count, onChange }: Props) {
  const { t } = useT()
  if (count < 2) return null
  return (
    <nav aria-label={t('pages.of', { list: label })} className="mt-3 flex flex-wrap items-center gap-1">
      <Button
        variant="ghost"
        size="s"
        aria-label={t('pages.back')}
        keepsFocus
        disabled={page === 1}
        onClick={() => onChange(page - 1)}
      >
        <ChevronLeft aria-hidden className="size-4" />
      </Button>
      {shownPages(page, count).map((number) => (
        <Button
          key={number}
          variant={number === page ? 'outline' : 'ghost'}
          size="s"
          className="num min-w-9"
          aria-label={t('pages.page', { number })}
          aria-current={number === page ? 'page' : undefined}
          onClick={() => onChange(number)}
        >
          {number}
        </Button>
      ))}
      <Button
        variant="ghost"
        size="s"
        aria-label={t('pages.forth')}
        keepsFocus
        disabled={page === count}
        onClick={() => onChange(page + 1)}
      >
        <ChevronRight aria-hidden className="size-4" />
      </Button>
    </nav>
  )
}

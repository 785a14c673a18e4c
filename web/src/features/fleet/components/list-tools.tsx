import { ArrowDown, ArrowUp, ChevronDown } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import { type Chosen, howMany } from '../model/choice'
import type { Row } from '../model/row'
import { SORTS, type Sort, type View } from '../model/view'
import { Tick } from './tick'

type Props = {
  shown: readonly Row[]
  chosen: Chosen
  view: Pick<View, 'sort' | 'descending'>
  onSort: (next: { sort: Sort; down: boolean }) => void
  onToggleAll: () => void
}

/** Select all and sort, for phones without table headings. */
export function ListTools({ shown, chosen, view: { sort, descending }, onSort, onToggleAll }: Props) {
  const { t } = useT()
  const many = howMany(
    chosen,
    shown.map(({ sn }) => sn),
  )
  const Arrow = descending ? ArrowDown : ArrowUp
  return (
    <div className="flex items-center gap-2">
      {shown.length > 0 && (
        <span className="pl-4">
          <Tick
            large
            label={t('fleet.choose_all')}
            checked={many === 'all'}
            partly={many === 'some'}
            onChange={onToggleAll}
          />
        </span>
      )}
      <div className="flex-1" />
      <div className="relative min-w-0">
        <select
          aria-label={t('fleet.sort')}
          value={sort}
          onChange={({ target }) => onSort({ sort: target.value as Sort, down: descending })}
          className="h-11 w-full cursor-pointer appearance-none rounded-xl border border-line-strong bg-surface pr-9 pl-3 text-xl text-text"
        >
          {SORTS.map((one) => (
            <option key={one} value={one}>
              {t(`fleet.column.${one}`)}
            </option>
          ))}
        </select>
        <ChevronDown
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
        />
      </div>
      <Button
        variant="outline"
        size="icon"
        aria-label={t(descending ? 'fleet.sort.descending' : 'fleet.sort.ascending')}
        onClick={() => onSort({ sort, down: !descending })}
      >
        <Arrow aria-hidden className="size-4" />
      </Button>
    </div>
  )
}

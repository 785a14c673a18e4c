import { ChevronDown, Columns3, Download, Search } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Menu } from '@/components/ui/menu'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { COLUMNS, type Column, FIXED, withColumn } from '../model/columns'
import { UnitFile } from './unit-file'

const box =
  'h-10 w-full min-w-0 rounded-xl border border-line-strong bg-surface text-md text-text max-sm:text-xl'

type SearchProps = { value: string; onChange: (q: string) => void }

/** Searches serial number, customer, group and place; every word has to match. */
export function SearchField({ value, onChange }: SearchProps) {
  const { t } = useT()
  return (
    <div className="relative min-w-0 flex-1 basis-56 sm:max-w-80">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        aria-label={t('fleet.search')}
        placeholder={t('fleet.search_hint')}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        autoComplete="off"
        spellCheck={false}
        className={cn(box, 'pr-3 pl-9 placeholder:text-muted')}
      />
    </div>
  )
}

type GroupProps = {
  groups: readonly string[]
  value: string | null
  onChange: (group: string | undefined) => void
}

/** Filters by group; only shown if there are groups. */
export function GroupFilter({ groups, value, onChange }: GroupProps) {
  const { t } = useT()
  if (groups.length === 0 && value === null) return null
  return (
    <div className="relative min-w-0 flex-1 basis-36 sm:max-w-52">
      <select
        aria-label={t('fleet.group')}
        // Group names are arbitrary, so `=` separates them from "all".
        value={value === null ? 'all' : `=${value}`}
        onChange={({ target }) => onChange(target.value === 'all' ? undefined : target.value.slice(1))}
        className={cn(box, 'cursor-pointer appearance-none pr-9 pl-3')}
      >
        <option value="all">{t('fleet.all_groups')}</option>
        {groups.map((group) => (
          <option key={group} value={`=${group}`}>
            {group}
          </option>
        ))}
        <option value="=">{t('groups.without')}</option>
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
      />
    </div>
  )
}

type ToolsProps = {
  columns: readonly Column[]
  onColumns: (columns: Column[]) => void
  /** Null: there is nothing to export. */
  onSave: (() => void) | null
}

/** Chooses the columns and exports the table. */
export function TableTools({ columns, onColumns, onSave }: ToolsProps) {
  const { t } = useT()
  return (
    <div className="flex shrink-0 items-center gap-2">
      <div className="max-md:hidden">
        <Menu
          align="end"
          trigger={
            <Button variant="outline" size="s" className="min-h-10">
              <Columns3 aria-hidden className="size-4" />
              {t('fleet.columns')}
            </Button>
          }
        >
          {({ MenuSwitch }) =>
            COLUMNS.filter((column) => !FIXED.includes(column)).map((column) => (
              <MenuSwitch
                key={column}
                checked={columns.includes(column)}
                onChange={(shown) => onColumns(withColumn(columns, column, shown))}
              >
                {t(`fleet.column.${column}`)}
              </MenuSwitch>
            ))
          }
        </Menu>
      </div>
      <Button
        variant="outline"
        size="s"
        className="min-h-10"
        disabled={onSave === null}
        onClick={() => onSave?.()}
      >
        <Download aria-hidden className="size-4" />
        {t('fleet.csv')}
      </Button>
      <UnitFile />
    </div>
  )
}

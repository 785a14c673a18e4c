import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Checkbox } from '@/components/ui/checkbox'
import { controlStyle } from '@/components/ui/field-frame'
import { cn } from '@/lib/cn'
import type { System } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { byCustomer, customerOf, foundSystems, groupNames, MAX_SHOWN, maySet } from './model'

type Props = {
  systems: readonly System[]
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}

/** Selects systems by search, by group, one by one, or all. */
export function ChooseSystems({ systems, chosen, onChange }: Props) {
  const { t } = useT()
  const [q, setQ] = useState('')
  const [group, setGroup] = useState<string | null>(null)
  const groups = useMemo(() => groupNames(systems), [systems])
  const ordered = useMemo(() => byCustomer(systems), [systems])
  const found = useMemo(() => foundSystems(ordered, q, group), [ordered, q, group])
  const all = found.length > 0 && found.every(({ sn }) => chosen.has(sn))
  const toggle = (sn: string) => {
    const next = new Set(chosen)
    if (!next.delete(sn)) next.add(sn)
    onChange(next)
  }
  const toggleFound = () => {
    const next = new Set(chosen)
    for (const { sn } of found) all ? next.delete(sn) : next.add(sn)
    onChange(next)
  }
  return (
    <Card title={t('batch.systems')} description={t('batch.systems.text')}>
      <div className="flex flex-wrap gap-2">
        <div className="relative min-w-0 flex-1 basis-56">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-3.5 size-4 -translate-y-1/2 text-muted"
          />
          <input
            type="search"
            aria-label={t('fleet.search')}
            placeholder={t('fleet.search_hint')}
            value={q}
            onChange={({ target }) => setQ(target.value)}
            autoComplete="off"
            spellCheck={false}
            className={cn(controlStyle, 'h-11 pl-10')}
          />
        </div>
        {groups.length > 0 && (
          <select
            aria-label={t('fleet.group')}
            // Group names are arbitrary, so `=` separates them from "all".
            value={group === null ? 'all' : `=${group}`}
            onChange={({ target }) => setGroup(target.value === 'all' ? null : target.value.slice(1))}
            className={cn(controlStyle, 'h-11 flex-1 basis-40 cursor-pointer')}
          >
            <option value="all">{t('fleet.all_groups')}</option>
            {groups.map((name) => (
              <option key={name} value={`=${name}`}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="num text-sm text-muted">
          {t('batch.found', { found: found.length, chosen: chosen.size })}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button variant="outline" size="s" disabled={found.length === 0} onClick={toggleFound}>
            {t(all ? 'batch.choose_none' : 'batch.choose_all', { count: found.length })}
          </Button>
          {chosen.size > 0 && !all && (
            <Button variant="ghost" size="s" onClick={() => onChange(new Set())}>
              {t('fleet.clear')}
            </Button>
          )}
        </div>
      </div>
      <div className="mt-2 max-h-72 overflow-y-auto rounded-xl border border-line px-4">
        <ul className="divide-y divide-line">
          {found.slice(0, MAX_SHOWN).map((system) => (
            <li key={system.sn}>
              <Checkbox
                label={<SystemLabel system={system} />}
                checked={chosen.has(system.sn)}
                onChange={() => toggle(system.sn)}
              />
            </li>
          ))}
        </ul>
        {found.length > MAX_SHOWN && (
          <p className="num py-3 text-sm text-muted">
            {t('batch.more', { count: found.length - MAX_SHOWN })}
          </p>
        )}
        {found.length === 0 && <p className="py-4 text-md text-muted">{t('fleet.none_such')}</p>}
      </div>
    </Card>
  )
}

/** "Berg, Anna · SC000001 · Süd", with a note for look-only access. */
function SystemLabel({ system }: { system: System }) {
  const { t } = useT()
  const name = customerOf(system)
  return (
    <span className="num flex flex-wrap gap-x-2">
      {name && <span className="font-medium">{name}</span>}
      <span className={name ? 'text-muted' : 'font-medium'}>{system.sn}</span>
      {system.group_name && <span className="text-muted">· {system.group_name}</span>}
      {!maySet(system) && <span className="text-warn">· {t('batch.look_only')}</span>}
    </span>
  )
}

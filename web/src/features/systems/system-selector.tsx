import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { Fragment } from 'react'
import { Button } from '@/components/ui/button'
import { Menu } from '@/components/ui/menu'
import { type System, systemsQuery } from '@/lib/data/systems'
import type { Translate } from '@/lib/i18n/use-t'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { ALL_SYSTEMS_ENTRY, sectionsOf } from './model/sections'

/** Selects one system or all together; with several systems a menu, by group. */
export function SystemSelector() {
  const { t } = useT()
  const { data: systems } = useQuery(systemsQuery)
  const { sn, choose } = useSelection()
  const together = useTogether()
  if (!systems || sn === null) return null
  const label = <Label {...nameOf(sn, systems, together, t)} />
  if (systems.length === 1) return <div className="min-w-0 text-lg">{label}</div>
  return (
    // The name is aligned with the page; the button's padding overlaps the margin.
    <div className="-ml-5 min-w-0">
      <Menu
        align="start"
        trigger={
          <Button variant="ghost" className="min-w-0 shrink text-lg">
            <span className="sr-only">{t('selector.label')}</span>
            {label}
            <ChevronDown aria-hidden className="size-4 shrink-0" />
          </Button>
        }
      >
        {({ MenuChoice, MenuLabel }) =>
          partsOf(systems, together, t).map(({ heading, options }, place) => (
            <Fragment key={heading}>
              {place > 0 && <MenuLabel className="max-w-72 wrap-anywhere">{heading}</MenuLabel>}
              <MenuChoice label={heading} value={sn} options={options} onChange={choose} />
            </Fragment>
          ))
        }
      </Menu>
    </div>
  )
}

/** The name of the only system. */
export function OnlySystem({ system }: { system: System }) {
  const { t } = useT()
  return <Label {...nameOf(system.sn, [system], null, t)} />
}

function Label({ name, more }: Name) {
  return (
    <span className="flex min-w-0 flex-col gap-x-1.5 text-left sm:shrink-0 sm:flex-row sm:items-baseline sm:whitespace-nowrap">
      <span title={name} className="font-semibold text-text max-sm:wrap-anywhere sm:max-w-[32ch] sm:truncate">
        {name}
      </span>
      <span aria-hidden className="text-muted max-sm:hidden">
        ·
      </span>
      <span className="num font-normal text-muted max-sm:text-xs max-sm:leading-tight">{more}</span>
    </span>
  )
}

/** All systems together, then either every system or one section per group. */
function partsOf(systems: readonly System[], together: Together, t: Translate) {
  const all = optionOf(ALL_SYSTEMS_ENTRY.sn, nameOf(ALL_SYSTEMS_ENTRY.sn, systems, together, t))
  const groups = sectionsOf(systems).map((section) => ({
    heading: section.name ?? t('groups.without'),
    options: section.systems.map(({ sn, phase }) =>
      optionOf(sn, { name: t('systems.phase', { phase }), more: sn }),
    ),
  }))
  const grouped = systems.some(({ group_name }) => group_name)
  const ungrouped = grouped ? [] : groups.flatMap(({ options }) => options)
  return [{ heading: t('selector.label'), options: [all, ...ungrouped] }, ...(grouped ? groups : [])]
}

type Name = { name: string; more: string }

const optionOf = (value: string, { name, more }: Name) => ({
  value,
  label: (
    <span className="flex flex-col py-1.5 leading-snug">
      <span className="font-medium">{name}</span>
      <span className="num text-xs text-muted">{more}</span>
    </span>
  ),
})

type Together = { reporting: number; systems: number } | null

/** How many systems report; null while that is unknown. */
function useTogether(): Together {
  const { data: live } = useLive()
  const { reporting, systems } = live?.entries[ALL_SYSTEMS] ?? {}
  return typeof reporting === 'number' && typeof systems === 'number' ? { reporting, systems } : null
}

function nameOf(sn: string, systems: readonly System[], together: Together, t: Translate) {
  if (sn === ALL_SYSTEMS) {
    const more =
      together && together.reporting < together.systems
        ? t('systems.reporting', together)
        : t('top.systems', { count: systems.length })
    return { name: t('selector.all'), more }
  }
  const system = systems.find((one) => one.sn === sn)
  const alone = systems.length === 1 ? t('selector.home') : t('systems.phase', { phase: system?.phase ?? '' })
  return { name: system?.group_name || alone, more: sn }
}

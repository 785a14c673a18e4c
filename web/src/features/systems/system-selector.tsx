import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { Fragment } from 'react'
import { Button } from '@/components/ui/button'
import { DropdownMenu, MenuChoice, MenuLabel } from '@/components/ui/dropdown-menu'
import { type System, systemsQuery } from '@/lib/api/queries'
import type { Translate } from '@/lib/i18n/use-t'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { sectionsOf, TOGETHER } from './model/sections'

/** What the page is about: one system, or all of them. With several it is a menu, each under its group. */
export function SystemSelector() {
  const { t } = useT()
  const { data: systems } = useQuery(systemsQuery)
  const { sn, choose } = useSelection()
  const together = useTogether()
  if (!systems || sn === null) return null
  const { name, more } = nameOf(sn, systems, together, t)
  const label = (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-1.5 text-left sm:shrink-0 sm:flex-nowrap sm:whitespace-nowrap">
      <span title={name} className="font-semibold text-text max-sm:wrap-anywhere sm:max-w-[32ch] sm:truncate">
        {name}
      </span>
      <span aria-hidden className="text-muted max-sm:hidden">
        ·
      </span>
      <span className="num font-normal text-muted">{more}</span>
    </span>
  )
  const sections = sectionsOf(systems)
  const grouped = sections.some((section) => section.name !== null)
  if (systems.length === 1) return <div className="min-w-0 text-[15px]">{label}</div>
  return (
    <DropdownMenu
      align="start"
      trigger={
        <Button variant="ghost" className="-ml-3 min-w-0 shrink px-3 text-[15px]">
          <span className="sr-only">{t('selector.label')}</span>
          {label}
          <ChevronDown aria-hidden className="size-4 shrink-0" />
        </Button>
      }
    >
      <MenuChoice
        label={t('selector.label')}
        value={sn}
        options={[optionOf(TOGETHER.sn, nameOf(TOGETHER.sn, systems, together, t))]}
        onChange={choose}
      />
      {sections.map((section) => {
        const heading = section.name ?? t('groups.without')
        return (
          <Fragment key={section.name ?? ''}>
            {grouped && <MenuLabel className="max-w-72 wrap-anywhere">{heading}</MenuLabel>}
            <MenuChoice
              label={grouped ? heading : t('selector.label')}
              value={sn}
              options={section.systems.map((system) =>
                optionOf(system.sn, { name: t('systems.phase', { phase: system.phase }), more: system.sn }),
              )}
              onChange={choose}
            />
          </Fragment>
        )
      })}
    </DropdownMenu>
  )
}

type Name = { name: string; more: string }

const optionOf = (value: string, { name, more }: Name) => ({
  value,
  label: (
    <span className="flex flex-col py-1.5 leading-snug">
      <span className="font-medium">{name}</span>
      <span className="num text-[12px] text-muted">{more}</span>
    </span>
  ),
})

type Together = { reporting: number; systems: number } | null

/** How many of all systems report; null while that is not known. */
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

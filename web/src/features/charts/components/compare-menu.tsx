import { Layers } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Menu } from '@/components/ui/menu'
import { useT } from '@/lib/i18n/use-t'
import { MAX_SYSTEMS } from '../model/choice'
import { useSystemNames, useSystems } from '../use-systems'

/** Chooses the systems to compare; hidden with only one system. */
export function CompareMenu() {
  const { t } = useT()
  const { shown, choices, toggle } = useSystems()
  const nameOf = useSystemNames()
  if (choices.length < 2) return null
  const full = shown.length >= MAX_SYSTEMS
  return (
    <Menu
      trigger={
        <Button variant="outline" size="s">
          <Layers aria-hidden className="size-4" />
          {t('chart.compare')}
        </Button>
      }
    >
      {({ MenuSwitch }) =>
        choices.map((sn) => {
          const on = shown.includes(sn)
          const { name, more } = nameOf(sn)
          return (
            <MenuSwitch
              key={sn}
              checked={on}
              disabled={on ? shown.length === 1 : full}
              onChange={() => toggle(sn)}
            >
              <span className="num flex flex-col py-1.5 leading-snug">
                <span className="font-medium">{name}</span>
                <span className="text-xs text-muted">{more}</span>
              </span>
            </MenuSwitch>
          )
        })
      }
    </Menu>
  )
}

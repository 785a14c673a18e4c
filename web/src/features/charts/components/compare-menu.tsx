import { Layers } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { DropdownMenu, MenuSwitch } from '@/components/ui/dropdown-menu'
import { useT } from '@/lib/i18n/use-t'
import { MOST_SYSTEMS } from '../model/choice'
import type { SystemName } from './panel-heading'

type Props = {
  /** Every system that can be shown, and all of them together. */
  choices: readonly { sn: string; system: SystemName }[]
  shown: readonly string[]
  onToggle: (sn: string) => void
}

/** Which systems stand under each other. */
export function CompareMenu({ choices, shown, onToggle }: Props) {
  const { t } = useT()
  const full = shown.length >= MOST_SYSTEMS
  return (
    <DropdownMenu
      align="start"
      trigger={
        <Button variant="outline" size="s">
          <Layers aria-hidden className="size-4" />
          {t('chart.compare')}
        </Button>
      }
    >
      {choices.map(({ sn, system }) => {
        const on = shown.includes(sn)
        return (
          <MenuSwitch
            key={sn}
            checked={on}
            disabled={on ? shown.length === 1 : full}
            onChange={() => onToggle(sn)}
          >
            <span className="flex flex-col py-1.5 leading-snug">
              <span className="num font-medium">{system.name}</span>
              <span className="num text-[12px] text-muted">{system.more}</span>
            </span>
          </MenuSwitch>
        )
      })}
    </DropdownMenu>
  )
}

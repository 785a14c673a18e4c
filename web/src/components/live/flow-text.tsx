import { joinQuantity, percentQuantity, powerQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { Direction } from '@/lib/power'
import { type Flow, pathName } from './model/flow'
import type { Reading } from './model/reading'

type Props = {
  reading: Reading
  flows: readonly Flow[]
  gridWord: Direction
  batteryWord: Direction
}

/** The energy flow as text for screen readers. */
export function FlowText({ reading, flows, gridWord, batteryWord }: Props) {
  const { t, locale } = useT()
  const { pv, grid, battery, house, soc } = reading
  const power = (watts: number | null) =>
    watts === null ? t('value.unknown') : joinQuantity(powerQuantity(watts, locale))
  const labelled = (node: 'pv' | 'house' | 'grid' | 'battery', value: string) =>
    t('ui.labelled', { label: t(`flow.${node}`), value })
  const charge = soc === null ? t('value.unknown') : joinQuantity(percentQuantity(soc, locale))
  return (
    <ul className="sr-only">
      <li>{labelled('pv', power(pv))}</li>
      <li>{labelled('house', power(house))}</li>
      <li>{labelled('grid', `${gridWord ? `${t(`flow.grid.${gridWord}`)} ` : ''}${power(grid)}`)}</li>
      <li>
        {labelled(
          'battery',
          `${charge}, ${batteryWord ? `${t(`flow.battery.${batteryWord}`)} ` : ''}${power(battery)}`,
        )}
      </li>
      {flows.map((flow) => (
        <li key={pathName(flow)}>{t(`flow.way.${pathName(flow)}`, { power: power(flow.watts) })}</li>
      ))}
    </ul>
  )
}

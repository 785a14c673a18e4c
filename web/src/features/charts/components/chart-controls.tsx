import { Button } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import { type ChartChoice, type ChartSearch, METHODS, RESOLUTIONS } from '../model/choice'
import { seriesOf } from '../model/series'
import type { PlotGroup } from '../plot/group'
import { SmallSelect } from './small-select'
import { ZoomButtons } from './zoom-buttons'

type Props = {
  choice: ChartChoice
  search: ChartSearch
  onChange: (search: ChartSearch) => void
  group: PlotGroup
}

/** How fine the chart is, what a point of it stands for, its zoom, and the way to the table. */
export function ChartControls({ choice, search, onChange, group }: Props) {
  const { t } = useT()
  // An energy is an amount: it has no mean.
  const measures = seriesOf(choice.series).some(({ unit }) => unit !== 'energy')
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
      <SmallSelect
        label={t('chart.resolution')}
        value={choice.resolution}
        options={RESOLUTIONS[choice.interval].map((value) => ({
          value,
          label: t(`chart.resolution.${value}`),
        }))}
        onChange={(resolution) => onChange({ ...search, resolution })}
      />
      {measures && (
        <SmallSelect
          label={t('chart.method')}
          value={choice.method}
          options={METHODS.map((value) => ({ value, label: t(`chart.method.${value}`) }))}
          onChange={(method) => onChange({ ...search, method })}
        />
      )}
      {!choice.table && <ZoomButtons group={group} zoomed={choice.zoom !== null} />}
      <Button
        variant="outline"
        size="s"
        className="ml-auto"
        onClick={() => onChange({ ...search, view: choice.table ? undefined : 'table' })}
      >
        {t(choice.table ? 'chart.as_chart' : 'chart.as_table')}
      </Button>
    </div>
  )
}

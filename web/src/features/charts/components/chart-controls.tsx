import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { BEFORE } from '../model/before'
import { type ChartChoice, type ChartSearch, METHODS, RESOLUTIONS, withBefore } from '../model/choice'
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

/** Comparison, resolution, method, zoom, and the switch between chart and table. */
export function ChartControls({ choice, search, onChange, group }: Props) {
  const { t } = useT()
  const [unfolded, setUnfolded] = useState(false)
  // Energies are amounts and have no mean.
  const measures = seriesOf(choice.series).some(({ unit }) => unit !== 'energy')
  return (
    <div className="mt-2 flex flex-wrap items-end gap-x-4 gap-y-2 sm:items-center">
      <SmallSelect
        label={t('chart.before')}
        value={choice.before ?? 'none'}
        options={(['none', ...BEFORE[choice.interval]] as const).map((value) => ({
          value,
          label: t(`chart.before.${value}`),
        }))}
        onChange={(before) => onChange(withBefore(search, before === 'none' ? null : before))}
      />
      {/* Phones hide the rarely used controls. */}
      <Button
        variant="ghost"
        size="s"
        aria-expanded={unfolded}
        className="ml-auto sm:hidden"
        onClick={() => setUnfolded(!unfolded)}
      >
        {t('chart.options')}
        <ChevronDown aria-hidden className={cn('size-4 transition-transform', unfolded && 'rotate-180')} />
      </Button>
      <div className={cn('contents', !unfolded && 'max-sm:hidden')}>
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
    </div>
  )
}

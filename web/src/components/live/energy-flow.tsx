import { BatteryMedium, House, type LucideIcon, SunMedium, UtilityPole } from 'lucide-react'
import { cn } from '@/lib/cn'
import { percentQuantity, powerQuantity, type Quantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { DEAD_BAND } from '@/lib/power'
import { lineWidth, NODES, PATHS, RADIUS, TRACKS, VIEW } from './flow-geometry'
import { FlowText } from './flow-text'
import { type Flow, flowsOf, sharesOfHouse, speedOf } from './model/flow'
import { directionsOf, gridDeadBandOf, type Reading } from './model/reading'

type Props = {
  reading: Reading
  /** False: last values, drawn without animation and colour. */
  live: boolean
}

const UNKNOWN = { grid: null, battery: null }

/**
 * Animated flows between sun, grid, house and battery. `FlowText` has the same as a list for screen readers.
 */
export function EnergyFlow({ reading, live }: Props) {
  const { t, locale } = useT()
  const { pv, grid, battery, house, soc } = reading
  const gridDeadBand = gridDeadBandOf(reading)
  const flows = live ? flowsOf(reading, gridDeadBand) : []
  const power = (watts: number | null) => (watts === null ? null : powerQuantity(watts, locale))
  // The direction of an old value is unknown.
  const { grid: gridWord, battery: batteryWord } = live ? directionsOf(reading) : UNKNOWN
  return (
    <>
      <FlowText reading={reading} flows={flows} gridWord={gridWord} batteryWord={batteryWord} />
      <svg
        aria-hidden
        viewBox={`0 0 ${VIEW.width} ${VIEW.height}`}
        className="mx-auto block w-full max-w-100 overflow-hidden lg:max-w-90"
      >
        <g className={cn(!live && 'opacity-60 grayscale')}>
          {TRACKS.map((way) => (
            <path key={way} d={PATHS[way]} fill="none" stroke="var(--line)" strokeWidth="1.5" />
          ))}
          {flows.map((flow) => (
            <Line key={`${flow.from}-${flow.to}`} {...flow} />
          ))}
          <Ring node="pv" parts={[{ source: 'pv', share: (pv ?? 0) > DEAD_BAND ? 1 : 0 }]} />
          <Ring node="grid" parts={[{ source: 'grid', share: Math.abs(grid ?? 0) > gridDeadBand ? 1 : 0 }]} />
          <Ring node="battery" parts={[{ source: 'battery', share: (soc ?? 0) / 100 }]} />
          <Ring node="house" parts={partsOf(flows)} />
        </g>
        <Node node="pv" icon={SunMedium} value={power(pv)} live={live} />
        <Node node="grid" icon={UtilityPole} value={power(grid)} live={live} />
        <Node node="house" icon={House} value={power(house)} live={live} />
        <Node
          node="battery"
          icon={BatteryMedium}
          value={soc === null ? null : percentQuantity(soc, locale)}
          below={power(battery)}
          live={live}
        />
        <Caption x={NODES.pv.x} y={10} lines={[t('flow.pv')]} />
        <Caption
          x={NODES.grid.x}
          y={242}
          lines={gridWord ? [t('flow.grid'), t(`flow.grid.${gridWord}`)] : [t('flow.grid')]}
        />
        <Caption x={NODES.house.x} y={242} lines={[t('flow.house')]} />
        <Caption
          x={NODES.battery.x}
          y={356}
          lines={[
            batteryWord ? `${t('flow.battery')} · ${t(`flow.battery.${batteryWord}`)}` : t('flow.battery'),
          ]}
        />
      </svg>
    </>
  )
}

const partsOf = (flows: readonly Flow[]) => {
  const shares = sharesOfHouse(flows)
  return (['pv', 'battery', 'grid'] as const).map((source) => ({ source, share: shares[source] }))
}

function Line({ from, to, watts }: Flow) {
  const way = PATHS[`${from}-${to}`]
  const width = lineWidth(watts)
  return (
    <g fill="none" stroke={`var(--${from})`}>
      <path d={way} strokeWidth={width} strokeOpacity="0.38" />
      <path
        d={way}
        strokeWidth={width + 2.2}
        strokeDasharray="0.1 23.9"
        className="flow-dots"
        data-speed={speedOf(watts)}
      />
    </g>
  )
}

type Part = { source: 'pv' | 'battery' | 'grid'; share: number }

/** A ring divided by shares, clockwise from the top. */
function Ring({ node, parts }: { node: keyof typeof NODES; parts: Part[] }) {
  const { x, y } = NODES[node]
  const length = 2 * Math.PI * RADIUS
  let begun = 0
  return (
    <g transform={`rotate(-90 ${x} ${y})`}>
      <circle cx={x} cy={y} r={RADIUS} fill="var(--surface)" stroke="var(--line)" strokeWidth="4" />
      {parts.map(({ source, share }) => {
        const start = begun
        begun += share
        return (
          <circle
            key={source}
            cx={x}
            cy={y}
            r={RADIUS}
            fill="none"
            stroke={`var(--${source})`}
            strokeWidth={share > 0.004 ? 4 : 0}
            strokeDasharray={`${length * share} ${length}`}
            strokeDashoffset={-length * start}
            className="flow-ring"
          />
        )
      })}
    </g>
  )
}

const COLOUR = {
  pv: 'var(--pv)',
  grid: 'var(--grid)',
  house: 'var(--home)',
  battery: 'var(--battery)',
} as const

type NodeProps = {
  node: keyof typeof NODES
  icon: LucideIcon
  /** Null: unknown. */
  value: Quantity | null
  below?: Quantity | null
  live: boolean
}

function Node({ node, icon: Icon, value, below, live }: NodeProps) {
  const { x, y } = NODES[node]
  return (
    <g fill={live ? 'var(--text)' : 'var(--muted)'} textAnchor="middle" className="num">
      <Icon
        x={x - 11}
        y={y - 31}
        width={22}
        height={22}
        color={live ? COLOUR[node] : 'var(--muted)'}
        strokeWidth={1.9}
        fill="none"
      />
      <text x={x} y={y + 12} fontSize="19" fontWeight="620">
        {value?.value ?? '–'}
        {value && (
          <tspan dx="2" fontSize="12" fontWeight="500" fill="var(--muted)">
            {value.unit}
          </tspan>
        )}
      </text>
      {below && (
        <text x={x} y={y + 28} fontSize="11.5" fill="var(--muted)">
          {below.value} {below.unit}
        </text>
      )}
    </g>
  )
}

function Caption({ x, y, lines }: { x: number; y: number; lines: string[] }) {
  return (
    <text textAnchor="middle" fill="var(--muted)" fontSize="12.5" fontWeight="500">
      {lines.map((line, place) => (
        <tspan key={line} x={x} y={y + place * 16}>
          {line}
        </tspan>
      ))}
    </text>
  )
}

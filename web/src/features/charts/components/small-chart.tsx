import { useId } from 'react'
import { cn } from '@/lib/cn'
import type { Energies } from '@/lib/energy'
import { energyQuantity, formatPeriod, formatTime, joinQuantity } from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { placeAt, usePointed } from '@/lib/use-pointed'
import { type SmallChart as Chart, type Part, type Period, piecesOf } from '../model/small'
import { mostOf } from '../model/words'

/** A moment of the day, or a day, month or year as the API writes it. */
export type SmallRow = { time: number | string; energies: Energies }

/** The same part of the period before, row for row; null where it has none. */
export type Earlier = { rows: readonly (Energies | null)[]; total: Energies }

type Props = Chart & {
  period: Period
  /** Until they are asked for, a phone shows only what the house used and made, in numbers. */
  bars: boolean
  total: Energies
  rows: readonly SmallRow[]
  earlier: Earlier | null
  timeZone: string | undefined
}

const DOT = { pv: 'bg-pv', grid: 'bg-grid', battery: 'bg-battery' } as const

/** The totals in numbers, their course as bars, and the same as a table for screen readers. */
export function SmallChart(props: Props) {
  const { title, parts, house = false, period, bars, total, rows, earlier, timeZone } = props
  const { t, locale } = useT()
  const text = (wattHours: number | null) =>
    wattHours === null ? '–' : joinQuantity(energyQuantity(wattHours, locale))
  return (
    <article
      className={cn(
        'flex min-w-0 flex-col px-4 py-2.5 sm:card sm:p-4 xl:col-span-2 xl:nth-4:col-span-3 xl:nth-5:col-span-3',
        !bars && !house && 'max-sm:hidden',
      )}
    >
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1.5 sm:block">
        <h3 className="w-24 text-md font-medium sm:w-auto">{t(title)}</h3>
        <ul className="flex min-w-0 flex-1 basis-[12em] flex-wrap gap-x-4 gap-y-1 text-xs text-muted sm:mt-1.5">
          {parts.map((part) => (
            <li key={part.label} className="flex items-center gap-1.5">
              <span
                aria-hidden
                className={`size-2 shrink-0 rounded-full ${DOT[part.colour]} ${part.below ? 'opacity-60' : ''}`}
              />
              {t(part.label)} <span className="num font-medium text-text">{text(part.of(total))}</span>
              {earlier && (
                <span className="num">{t('small.before', { amount: text(part.of(earlier.total)) })}</span>
              )}
            </li>
          ))}
        </ul>
      </div>
      <div className={cn(!bars && 'max-sm:hidden')}>
        <ReadableBars
          parts={parts}
          rows={rows}
          earlier={earlier}
          nameOf={({ time }) => rowName(time, period, locale, timeZone)}
          text={text}
        />
        <p aria-hidden className="num mt-1 flex justify-between text-2xs text-muted">
          <span>{rows[0] && rowName(rows[0].time, period, locale, timeZone)}</span>
          <span>{rows.length > 1 && rowName(rows.at(-1)?.time ?? '', period, locale, timeZone)}</span>
        </p>
      </div>
      <div className="sr-only">
        {parts.map((part) => {
          const most = mostOf(rows.map(({ energies }) => part.of(energies)))
          const row = most && rows[most.place]
          const words = row && {
            name: t(part.label),
            high: text(most.amount),
            highAt: rowName(row.time, period, locale, timeZone),
          }
          return words && <p key={part.label}>{t('words.most', words)}</p>
        })}
        <table>
          <caption>{t(title)}</caption>
          <thead>
            <tr>
              <th scope="col">{t('chart.time')}</th>
              {parts.map(({ label }) => (
                <th key={label} scope="col">
                  {t(label)}
                </th>
              ))}
              {earlier &&
                parts.map(({ label }) => (
                  <th key={`${label} before`} scope="col">
                    {t('small.before', { amount: t(label) })}
                  </th>
                ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ time, energies }, place) => (
              <tr key={time}>
                <th scope="row">{rowName(time, period, locale, timeZone)}</th>
                {parts.map((part) => (
                  <td key={part.label}>{text(part.of(energies))}</td>
                ))}
                {earlier &&
                  parts.map((part) => (
                    <td key={`${part.label} before`}>{text(earlierOf(earlier, place, part))}</td>
                  ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </article>
  )
}

function rowName(
  time: number | string,
  period: Period,
  locale: Locale,
  timeZone: string | undefined,
): string {
  if (typeof time === 'number') return formatTime(time, { locale, timeZone })
  if (period === 'year') return formatPeriod(`${time}-01`, 'Month', locale)
  return period === 'total' ? time : formatPeriod(time, 'Day', locale)
}

const earlierOf = ({ rows }: Earlier, place: number, part: Part) => {
  const energies = rows[place]
  return energies ? part.of(energies) : null
}

const HEIGHT = 72

type BarsProps = {
  parts: readonly Part[]
  rows: readonly SmallRow[]
  earlier: Earlier | null
  nameOf: (row: SmallRow) => string
  text: (wattHours: number | null) => string
}

/** The bars, and in words the one that the mouse or a finger is at: when it was and how much. */
function ReadableBars({ parts, rows, earlier, nameOf, text }: BarsProps) {
  const { t } = useT()
  const { share, pointing } = usePointed<HTMLDivElement>()
  const place = placeAt(share, rows.length)
  const row = place === null ? undefined : rows[place]
  return (
    <div {...pointing} className="relative mt-3 touch-pan-y">
      <Bars parts={parts} rows={rows} earlier={earlier} place={place} />
      {row && place !== null && share !== null && (
        <div
          data-reading
          aria-hidden
          // As far to the right as the bar, and never beyond an edge.
          style={{ left: `${share * 100}%`, transform: `translateX(-${share * 100}%)` }}
          className="num pointer-events-none absolute bottom-full z-10 mb-1 w-max max-w-full rounded-lg border border-line-strong bg-surface-2 px-2.5 py-1.5 text-xs"
        >
          <p className="font-medium">{nameOf(row)}</p>
          {parts.map((part) => (
            <p key={part.label} className="flex items-center gap-1.5 text-muted">
              <span
                className={`size-2 shrink-0 rounded-full ${DOT[part.colour]} ${part.below ? 'opacity-60' : ''}`}
              />
              {t(part.label)}{' '}
              <span className="ml-auto pl-2 font-medium text-text">{text(part.of(row.energies))}</span>
              {earlier && t('small.before', { amount: text(earlierOf(earlier, place, part)) })}
            </p>
          ))}
        </div>
      )}
    </div>
  )
}

type DrawnProps = Pick<BarsProps, 'parts' | 'rows' | 'earlier'> & { place: number | null }

const UNKNOWN: Energies = { pv: null, import: null, feedIn: null, discharge: null, charge: null }

function Bars({ parts, rows, earlier, place }: DrawnProps) {
  const hatching = useId()
  const step = 100 / Math.max(1, rows.length)
  // Both on one scale.
  const behind = earlier?.rows.slice(0, rows.length).map((energies) => energies ?? UNKNOWN) ?? []
  const { pieces, zero } = piecesOf(parts, [...rows.map(({ energies }) => energies), ...behind])
  // Narrower, so that the pale bar behind is seen on both sides.
  const margin = earlier ? 0.26 : 0.12
  return (
    <svg aria-hidden className="block h-18 w-full">
      {(['grid', 'battery'] as const).map((colour) => (
        <pattern
          key={colour}
          id={`${hatching}${colour}`}
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="5" height="5" fill={`var(--${colour})`} fillOpacity="0.35" />
          <rect width="2" height="5" fill={`var(--${colour})`} />
        </pattern>
      ))}
      {place !== null && (
        <rect x={`${place * step}%`} width={`${step}%`} height="100%" className="fill-surface-2" />
      )}
      {rows.map(({ time }, row) => (
        <g key={time}>
          {pieces[rows.length + row]?.map(({ label, colour, top, height }) => (
            <rect
              key={`${label} before`}
              x={`${(row + 0.04) * step}%`}
              width={`${step * 0.92}%`}
              y={top * HEIGHT}
              height={Math.max(1, height * HEIGHT)}
              fill={`var(--${colour})`}
              fillOpacity="0.3"
            />
          ))}
          {pieces[row]?.map(({ label, colour, hatched, top, height }) => (
            <rect
              key={label}
              x={`${(row + margin) * step}%`}
              width={`${step * (1 - 2 * margin)}%`}
              y={top * HEIGHT}
              height={Math.max(1, height * HEIGHT)}
              fill={hatched ? `url(#${hatching}${colour})` : `var(--${colour})`}
            />
          ))}
        </g>
      ))}
      <rect y={Math.min(HEIGHT - 1, zero * HEIGHT)} width="100%" height="1" fill="var(--line-strong)" />
    </svg>
  )
}

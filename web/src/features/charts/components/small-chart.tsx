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

type Props = Chart & {
  period: Period
  /** Until they are asked for, a phone shows only what the house used and made, in numbers. */
  bars: boolean
  total: Energies
  rows: readonly SmallRow[]
  timeZone: string | undefined
}

const DOT = { pv: 'bg-pv', grid: 'bg-grid', battery: 'bg-battery' } as const

/** The totals in numbers, their course as bars, and the same as a table for screen readers. */
export function SmallChart({ title, parts, house = false, period, bars, total, rows, timeZone }: Props) {
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
        <h3 className="w-24 text-[14px] font-medium sm:w-auto">{t(title)}</h3>
        <ul className="flex min-w-0 flex-1 basis-[12em] flex-wrap gap-x-4 gap-y-1 text-[12px] text-muted sm:mt-1.5">
          {parts.map((part) => (
            <li key={part.label} className="flex items-center gap-1.5">
              <span
                aria-hidden
                className={`size-2 shrink-0 rounded-full ${DOT[part.colour]} ${part.below ? 'opacity-60' : ''}`}
              />
              {t(part.label)} <span className="num font-medium text-text">{text(part.of(total))}</span>
            </li>
          ))}
        </ul>
      </div>
      <div className={cn(!bars && 'max-sm:hidden')}>
        <ReadableBars
          parts={parts}
          rows={rows}
          nameOf={({ time }) => rowName(time, period, locale, timeZone)}
          text={text}
        />
        <p aria-hidden className="num mt-1 flex justify-between text-[11px] text-muted">
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
            </tr>
          </thead>
          <tbody>
            {rows.map(({ time, energies }) => (
              <tr key={time}>
                <th scope="row">{rowName(time, period, locale, timeZone)}</th>
                {parts.map((part) => (
                  <td key={part.label}>{text(part.of(energies))}</td>
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

const HEIGHT = 72

type BarsProps = {
  parts: readonly Part[]
  rows: readonly SmallRow[]
  nameOf: (row: SmallRow) => string
  text: (wattHours: number | null) => string
}

/** The bars, and in words the one that the mouse or a finger is at: when it was and how much. */
function ReadableBars({ parts, rows, nameOf, text }: BarsProps) {
  const { t } = useT()
  const { share, pointing } = usePointed<HTMLDivElement>()
  const place = placeAt(share, rows.length)
  const row = place === null ? undefined : rows[place]
  return (
    <div {...pointing} className="relative mt-3 touch-pan-y">
      <Bars parts={parts} rows={rows} place={place} />
      {row && share !== null && (
        <div
          data-reading
          aria-hidden
          // As far to the right as the bar, and never beyond an edge.
          style={{ left: `${share * 100}%`, transform: `translateX(-${share * 100}%)` }}
          className="num pointer-events-none absolute bottom-full z-10 mb-1 w-max max-w-full rounded-lg border border-line-strong bg-surface-2 px-2.5 py-1.5 text-[12px]"
        >
          <p className="font-medium">{nameOf(row)}</p>
          {parts.map((part) => (
            <p key={part.label} className="flex items-center gap-1.5 text-muted">
              <span
                className={`size-2 shrink-0 rounded-full ${DOT[part.colour]} ${part.below ? 'opacity-60' : ''}`}
              />
              {t(part.label)}{' '}
              <span className="ml-auto pl-2 font-medium text-text">{text(part.of(row.energies))}</span>
            </p>
          ))}
        </div>
      )}
    </div>
  )
}

type DrawnProps = Pick<BarsProps, 'parts' | 'rows'> & { place: number | null }

function Bars({ parts, rows, place }: DrawnProps) {
  const hatching = useId()
  const step = 100 / Math.max(1, rows.length)
  const { pieces, zero } = piecesOf(
    parts,
    rows.map(({ energies }) => energies),
  )
  return (
    <svg aria-hidden className="block h-[72px] w-full">
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
          {pieces[row]?.map(({ label, colour, hatched, top, height }) => (
            <rect
              key={label}
              x={`${(row + 0.12) * step}%`}
              width={`${step * 0.76}%`}
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

import { useEffect, useId, useRef, useState } from 'react'
import { cn } from '@/lib/cn'
import type { Block, Plan, Step } from '@/lib/data/plan'
import { formatNumber, joinQuantity, percentQuantity, priceUnit } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { textScale } from '@/lib/text-scale'
import { usePointed } from '@/lib/use-pointed'
import { modeIn } from '../model'
import { HEIGHT, type Level, type Picture, pictureOf, stepAt } from '../picture'
import { usePlanTime } from '../use-plan-time'
import { PictureSummary } from './picture-summary'

/** The width of a small phone, used until the real width has been measured. */
const NARROWEST = 280

/**
 * Prices as steps, the state of charge with its band, and the blocks. `PlanTable` has the same data as a
 * table.
 */
export function PlanPicture({ plan }: { plan: Plan }) {
  const { t } = useT()
  const [place, width] = useWidth()
  const { hourOf } = usePlanTime(plan.sn)
  // The picture is drawn for normal text size and scaled with the text.
  const drawnWidth = width / textScale()
  const picture = pictureOf(plan, drawnWidth, hourOf)
  const acts = (mode: Block['mode']) => picture?.blocks.some((block) => block.mode === mode)
  const { share, pointing } = usePointed<HTMLDivElement>()
  const pointed = picture && share !== null ? stepAt(plan.steps, picture, share * drawnWidth) : null
  return (
    <figure ref={place} className="min-w-0">
      <p data-reading className="num mb-2 min-h-[2.9em] text-sm text-pretty">
        {pointed ? (
          <StepText plan={plan} step={pointed.step} />
        ) : (
          <span className="text-muted">{t('plan.picture.hint')}</span>
        )}
      </p>
      {picture && (
        <div {...pointing} className="w-max max-w-full touch-pan-y">
          <Drawing plan={plan} picture={picture} width={width} pointed={pointed} />
        </div>
      )}
      <PictureSummary plan={plan} />
      <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1.5 text-xs text-muted">
        <Key look="bg-text" line>
          {t('plan.picture.price')}
        </Key>
        {plan.steps.some(({ known }) => !known) && <Key dashed>{t('plan.picture.guessed')}</Key>}
        <Key look="bg-soc" line>
          {t('plan.picture.soc')}
        </Key>
        <Key look="bg-soc/25">{t('plan.picture.band')}</Key>
        {acts('charge') && <Key look="bg-grid/35">{t('plan.mode.charge')}</Key>}
        {acts('hold') && <Key look="bg-pv/35">{t('plan.mode.hold')}</Key>}
        {picture?.target && <Key look="rotate-45 bg-text size-2">{t('plan.picture.wish')}</Key>}
      </figcaption>
    </figure>
  )
}

/** "Mo 16., 02:00 · 24,0 ct/kWh · Ladestand 42 % (35 % bis 45 %) · Lädt aus dem Netz": a quarter of the picture in words. */
function StepText({ plan, step }: { plan: Plan; step: Step }) {
  const { t, locale } = useT()
  const { moment } = usePlanTime(plan.sn)
  const { start, price, known, soc, low, high } = step
  const cost = joinQuantity({ value: formatNumber(price, locale, 1), unit: priceUnit(plan.currency) })
  const percent = (value: number) => joinQuantity(percentQuantity(value, locale))
  const band =
    low !== null && high !== null && `(${t('plan.table.range', { low: percent(low), high: percent(high) })})`
  return (
    <>
      <strong className="font-semibold">{moment(start)}</strong>
      {[
        '',
        known ? cost : t('plan.table.guessed', { price: cost }),
        ...(soc === null ? [] : [[t('plan.picture.soc'), percent(soc), band].filter(Boolean).join(' ')]),
        t(`plan.mode.${modeIn(plan.blocks, start, start + 1)}`),
      ].join(' · ')}
    </>
  )
}

type KeyProps = { look?: string; line?: boolean; dashed?: boolean; children: string }

function Key({ look, line, dashed, children }: KeyProps) {
  return (
    <span className="inline-flex items-center gap-1.5">
      {dashed ? (
        <span aria-hidden className="w-4 border-t-2 border-dashed border-text" />
      ) : (
        <span aria-hidden className={cn(line ? 'h-0.5 w-4' : 'size-3 rounded-[0.1875rem]', look)} />
      )}
      {children}
    </span>
  )
}

function useWidth() {
  const place = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(NARROWEST)
  useEffect(() => {
    if (!place.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(NARROWEST, Math.floor(entry.contentRect.width)))
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return [place, width] as const
}

const BLOCK = { charge: 'fill-grid/25', hold: 'fill-pv/25' }

type DrawingProps = { plan: Plan; picture: Picture; width: number; pointed: ReturnType<typeof stepAt> }

function Drawing({ plan, picture, width, pointed }: DrawingProps) {
  const { t, locale } = useT()
  const id = useId()
  const { clock, day } = usePlanTime(plan.sn)
  const { left, right, prices, charge, blocks, hours, target } = picture
  const number = (value: number) => formatNumber(value, locale)
  return (
    <svg
      role="img"
      aria-labelledby={id}
      width={width}
      height={HEIGHT * textScale()}
      viewBox={`0 0 ${width / textScale()} ${HEIGHT}`}
      fontSize={11}
      className="num block max-w-full"
    >
      <title id={id}>{t('plan.picture.title')}</title>
      {blocks.map((block) => (
        <rect
          key={block.start}
          x={block.x}
          width={block.width}
          y={prices.top}
          height={charge.bottom - prices.top}
          className={BLOCK[block.mode]}
        />
      ))}
      <Grid levels={prices.levels} left={left} right={right} text={number} />
      <Grid levels={charge.levels} left={left} right={right} text={number} />
      <text x={0} y={prices.top - 10} className="fill-muted">
        {t('plan.picture.price_axis', { unit: priceUnit(plan.currency) })}
      </text>
      <text x={0} y={charge.top - 10} className="fill-muted">
        {t('plan.picture.soc_axis')}
      </text>
      {hours.map(({ at, x }) => (
        <g key={at}>
          <line x1={x} x2={x} y1={charge.bottom} y2={charge.bottom + 4} className="stroke-line-strong" />
          <text
            x={x}
            y={charge.bottom + 17}
            textAnchor={x < left + 16 ? 'start' : 'middle'}
            className="fill-muted"
          >
            {clock(at) === '00:00' ? day(at) : clock(at)}
          </text>
        </g>
      ))}
      {prices.lines.map(({ path, known }) => (
        <path
          key={path}
          d={path}
          className="fill-none stroke-text"
          strokeWidth={1.8}
          strokeDasharray={known ? undefined : '3 4'}
        />
      ))}
      {charge.band && <path d={charge.band} className="fill-soc/20" />}
      <path d={charge.line} className="fill-none stroke-soc" strokeWidth={2} />
      {target && (
        <path
          d={`M${target.x} ${target.y - 6}l6 6l-6 6l-6 -6Z`}
          className="fill-text stroke-surface"
          strokeWidth={1.5}
        />
      )}
      {pointed && (
        <>
          <line
            x1={pointed.x}
            x2={pointed.x}
            y1={prices.top}
            y2={charge.bottom}
            className="stroke-muted"
            strokeDasharray="2 3"
          />
          {pointed.y !== null && (
            <circle
              cx={pointed.x}
              cy={pointed.y}
              r={4}
              className="fill-soc stroke-surface"
              strokeWidth={1.5}
            />
          )}
        </>
      )}
    </svg>
  )
}

type GridProps = { levels: readonly Level[]; left: number; right: number; text: (value: number) => string }

const Grid = ({ levels, left, right, text }: GridProps) =>
  levels.map(({ value, y }) => (
    <g key={value}>
      <line x1={left} x2={right} y1={y} y2={y} className="stroke-line" />
      <text x={left - 6} y={y + 4} textAnchor="end" className="fill-muted">
        {text(value)}
      </text>
    </g>
  ))

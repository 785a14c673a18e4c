import { useEffect, useId, useRef, useState } from 'react'
import type { Block, Plan } from '@/lib/api/plan-queries'
import { cn } from '@/lib/cn'
import { formatNumber, priceUnit } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { textScale } from '@/lib/text-scale'
import { HEIGHT, type Level, type Picture, pictureOf } from '../picture'
import { usePlanTime } from '../use-plan-time'
import { PlanWords } from './plan-words'

/** As wide as a small phone, until it is known better. */
const NARROWEST = 280

/** Prices by steps, the charge with its band, and when the battery does something special. The table beside it says the same. */
export function PlanPicture({ plan }: { plan: Plan }) {
  const { t } = useT()
  const [place, width] = useWidth()
  const { hourOf } = usePlanTime(plan.sn)
  // Drawn for usual text, and enlarged as text is.
  const picture = pictureOf(plan, width / textScale(), hourOf)
  const acts = (mode: Block['mode']) => picture?.blocks.some((block) => block.mode === mode)
  return (
    <figure ref={place} className="min-w-0">
      {picture && <Drawing plan={plan} picture={picture} width={width} />}
      <PlanWords plan={plan} />
      <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1.5 text-[12px] text-muted">
        <Key look="bg-text" line>
          {t('plan.picture.price')}
        </Key>
        {plan.steps.some(({ known }) => !known) && <Key dashed>{t('plan.picture.guessed')}</Key>}
        <Key look="bg-battery" line>
          {t('plan.picture.soc')}
        </Key>
        <Key look="bg-battery/25">{t('plan.picture.band')}</Key>
        {acts('charge') && <Key look="bg-grid/35">{t('plan.mode.charge')}</Key>}
        {acts('hold') && <Key look="bg-pv/35">{t('plan.mode.hold')}</Key>}
        {picture?.wish && <Key look="rotate-45 bg-text size-2">{t('plan.picture.wish')}</Key>}
      </figcaption>
    </figure>
  )
}

type KeyProps = { look?: string; line?: boolean; dashed?: boolean; children: string }

function Key({ look, line, dashed, children }: KeyProps) {
  return (
    <span className="inline-flex items-center gap-1.5">
      {dashed ? (
        <span aria-hidden className="w-4 border-t-2 border-dashed border-text" />
      ) : (
        <span aria-hidden className={cn(line ? 'h-0.5 w-4' : 'size-3 rounded-[3px]', look)} />
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

function Drawing({ plan, picture, width }: { plan: Plan; picture: Picture; width: number }) {
  const { t, locale } = useT()
  const id = useId()
  const { clock, day } = usePlanTime(plan.sn)
  const { left, right, prices, charge, blocks, hours, wish } = picture
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
      {charge.band && <path d={charge.band} className="fill-battery/20" />}
      <path d={charge.line} className="fill-none stroke-battery" strokeWidth={2} />
      {wish && (
        <path
          d={`M${wish.x} ${wish.y - 6}l6 6l-6 6l-6 -6Z`}
          className="fill-text stroke-surface"
          strokeWidth={1.5}
        />
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

import { UPDATE_PROGRESS } from '@/lib/constants'
import { formatNumber, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'

const RADIUS = 66
const LENGTH = 2 * Math.PI * RADIUS
/** The length of the rotating arc while progress is unknown. */
const WAITING_ARC = 0.2

type Props = {
  /** Null while the update is queued. */
  percent: number | null
  label: string
}

/** A circular progress bar. */
export function ProgressRing({ percent, label }: Props) {
  const { locale } = useT()
  const share = percent === null ? WAITING_ARC : percent / UPDATE_PROGRESS.MAX
  return (
    <div className="relative grid size-40 shrink-0 place-items-center">
      <progress
        aria-label={label}
        max={UPDATE_PROGRESS.MAX}
        value={percent ?? undefined}
        className="sr-only"
      />
      <svg aria-hidden viewBox="0 0 160 160" className="absolute inset-0">
        <circle cx="80" cy="80" r={RADIUS} fill="none" stroke="var(--surface-2)" strokeWidth="12" />
        <g transform="rotate(-90 80 80)">
          <circle
            cx="80"
            cy="80"
            r={RADIUS}
            fill="none"
            stroke="var(--battery)"
            strokeWidth="12"
            strokeLinecap="round"
            strokeDasharray={`${LENGTH * share} ${LENGTH}`}
            className={percent === null ? 'origin-center animate-spin' : 'flow-ring'}
          />
        </g>
      </svg>
      {percent !== null && (
        <p aria-hidden className="num relative text-8xl leading-none font-semibold">
          {formatNumber(percent, locale)}
          <span className="ml-0.5 text-2xl font-medium text-muted">
            {percentQuantity(percent, locale).unit}
          </span>
        </p>
      )}
    </div>
  )
}

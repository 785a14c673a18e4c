import type { ReactNode } from 'react'
import { joinQuantity, percentQuantity, powerQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { EnergyFlow } from './energy-flow'
import { LiveMark, useClockText } from './live-mark'
import type { Freshness, Reading } from './model/reading'
import { type Line, sentenceOf } from './model/sentence'

type Props = {
  reading: Reading
  freshness: Freshness
  /** Usable Wh; null is unknown. */
  capacity: number | null
  updating: boolean
  /** Server time. */
  now: number
  /** Replaces the sentence, which addresses the owner. */
  title?: string
  /** What is in force, below the headline. */
  inForce?: ReactNode
  /** Content below the picture. */
  below?: ReactNode
}

/** What is happening now, as a sentence and as a picture. */
export function FlowCard({ reading, freshness, capacity, updating, now, title, inForce, below }: Props) {
  const { t } = useT()
  const { headline, detail } = sentenceOf({ reading, freshness, capacity, updating, now })
  return (
    <section aria-labelledby="sentence" className="flex min-w-0 flex-col lg:card lg:p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-52">
          <h2
            id="sentence"
            className="text-4xl leading-tight font-semibold tracking-tight text-balance lg:text-5xl"
          >
            {title ?? t(headline)}
          </h2>
          {/* Always two lines high, so that the picture does not move. */}
          <p className="num mt-1 min-h-[2.9em] text-pretty text-muted">
            {detail && !title && <Detail line={detail} timeZone={reading.timeZone} now={now} />}
          </p>
        </div>
        <LiveMark reading={reading} freshness={freshness} now={now} />
      </div>
      <div className="mt-3 empty:hidden">{inForce}</div>
      <div className="mt-2 flex flex-1 items-center justify-center">
        <EnergyFlow reading={reading} live={freshness === 'live'} />
      </div>
      <div className="mt-4 empty:hidden">{below}</div>
    </section>
  )
}

function Detail({ line, timeZone, now }: { line: Line; timeZone: string; now: number }) {
  const { t, locale } = useT()
  const clock = useClockText(timeZone, now)
  const { power, other, soc, at } = line.values
  const watts = (value: number | undefined) =>
    value === undefined ? undefined : joinQuantity(powerQuantity(value, locale))
  return t(line.id, {
    power: watts(power),
    other: watts(other),
    soc: soc === undefined ? undefined : joinQuantity(percentQuantity(soc, locale)),
    time: at === undefined ? undefined : clock(at),
  })
}

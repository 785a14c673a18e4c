import { useId } from 'react'

const SUN = 'M0 360 C150 360 190 60 340 60 S 530 360 690 360'
const STORAGE = 'M0 352 C300 352 380 130 540 130 C650 130 720 210 800 240'

/** Decorative: a day of sun (amber), carried into the evening by the battery (mint). */
export function DayCurve({ className }: { className?: string }) {
  const id = useId() // a fixed id would resolve to the hidden copy of the other screen size
  return (
    <svg viewBox="0 0 800 360" preserveAspectRatio="none" className={className} aria-hidden="true">
      <defs>
        <Fade id={`${id}-sun`} colour="var(--pv)" opacity={0.42} />
        <Fade id={`${id}-storage`} colour="var(--battery)" opacity={0.34} />
      </defs>
      <path d={`${SUN}Z`} fill={`url(#${id}-sun)`} />
      <path d={SUN} fill="none" stroke="var(--pv)" strokeWidth="2.5" vectorEffect="non-scaling-stroke" />
      <path d={`${STORAGE}V360H0Z`} fill={`url(#${id}-storage)`} />
      <path
        d={STORAGE}
        fill="none"
        stroke="var(--battery)"
        strokeWidth="2.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}

function Fade({ id, colour, opacity }: { id: string; colour: string; opacity: number }) {
  return (
    <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stopColor={colour} stopOpacity={opacity} />
      <stop offset="1" stopColor={colour} stopOpacity="0" />
    </linearGradient>
  )
}

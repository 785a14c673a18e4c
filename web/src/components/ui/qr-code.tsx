/** White modules around the code, required by scanners. */
const QUIET = 4

type Props = { size: number; path: string; label: string }

/** Always dark on white: cameras need it in every theme. */
export function QrCode({ size, path, label }: Props) {
  const side = size + 2 * QUIET
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}
      shapeRendering="crispEdges"
      className="w-full max-w-56 justify-self-center rounded-xl bg-white"
    >
      <title>{label}</title>
      <path d={path} fill="#000" />
    </svg>
  )
}

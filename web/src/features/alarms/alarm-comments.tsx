import type { Alarm } from './data'

type Props = { comments: Alarm['comments']; clock: (ms: number) => string }

/** Comments, oldest first. */
export function AlarmComments({ comments, clock }: Props) {
  if (comments.length === 0) return null
  return (
    <ul className="mt-2 grid gap-1.5 border-line border-l-2 pl-3">
      {comments.map(({ at, who, text }) => (
        <li key={`${at} ${text}`} className="wrap-anywhere">
          <span className="num text-sm text-muted">
            {who}, {clock(at)}
          </span>
          <p>{text}</p>
        </li>
      ))}
    </ul>
  )
}

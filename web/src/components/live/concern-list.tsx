import { useInForceText } from '@/components/in-force/use-in-force-text'
import { useT } from '@/lib/i18n/use-t'
import type { Concern } from './model/concerns'

type Props = {
  concerns: readonly Concern[]
  timeZone: string
  /** On the server's clock. */
  now: number
  /** Of which system, where there are several. */
  sn?: string
}

/** What is the matter with a system although there is no alarm. */
export function ConcernList({ concerns, timeZone, now, sn }: Props) {
  const { t } = useT()
  const { title } = useInForceText(timeZone, now)
  const text = (concern: Concern) => {
    if (concern.kind === 'flag') return t(`flag.${concern.flag}`)
    return concern.kind === 'in_force' ? title(concern.one) : t(`concern.${concern.kind}`)
  }
  return (
    <ul>
      {concerns.map((concern) => (
        <li key={text(concern)}>{[sn, text(concern)].filter(Boolean).join(': ')}</li>
      ))}
    </ul>
  )
}

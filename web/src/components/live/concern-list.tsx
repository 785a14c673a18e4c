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

/** What is the matter with a system although there is no alarm: a sentence, or a few words after its serial number. */
export function ConcernList({ concerns, timeZone, now, sn }: Props) {
  const { t } = useT()
  const { title } = useInForceText(timeZone, now)
  const alone = sn === undefined
  const text = (concern: Concern) => {
    if (concern.kind === 'in_force') return title(concern.one)
    if (concern.kind === 'silent') return t('notice.silent', { count: 1, serials: concern.sn })
    if (concern.kind !== 'flag') return t(alone ? `concern.one.${concern.kind}` : `concern.${concern.kind}`)
    const flag = t(`flag.${concern.flag}`)
    return alone ? t('concern.one.flag', { text: flag }) : flag
  }
  return (
    <ul>
      {concerns.map((concern) => (
        <li key={text(concern)}>{[sn, text(concern)].filter(Boolean).join(': ')}</li>
      ))}
    </ul>
  )
}

import { useInForceText } from '@/components/in-force/use-in-force-text'
import { useT } from '@/lib/i18n/use-t'
import type { StatusWarning } from './model/status-warnings'

type Props = {
  warnings: readonly StatusWarning[]
  timeZone: string
  /** Server time. */
  now: number
  /** The system's serial number, where there are several systems. */
  sn?: string
}

/** A system's status warnings: a sentence, or a few words after its serial number. */
export function StatusWarningList({ warnings, timeZone, now, sn }: Props) {
  const { t } = useT()
  const { title } = useInForceText(timeZone, now)
  const alone = sn === undefined
  const text = (warning: StatusWarning) => {
    if (warning.kind === 'in_force') return title(warning.one)
    if (warning.kind === 'silent') return t('notice.silent', { count: 1, serials: warning.sn })
    if (warning.kind !== 'flag') return t(alone ? `concern.one.${warning.kind}` : `concern.${warning.kind}`)
    const flag = t(`flag.${warning.flag}`)
    return alone ? t('concern.one.flag', { text: flag }) : flag
  }
  return (
    <ul>
      {warnings.map((warning) => (
        <li key={text(warning)}>{[sn, text(warning)].filter(Boolean).join(': ')}</li>
      ))}
    </ul>
  )
}

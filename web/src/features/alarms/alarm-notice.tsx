import { Link } from '@tanstack/react-router'
import { buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'
import type { LiveEntry } from '@/lib/live/live'
import { alarmsIn } from './model'

/** The worst alarm, its advice, and a link to the others. */
export function AlarmNotice({ entry }: { entry: LiveEntry }) {
  const { t } = useT()
  const alarms = alarmsIn(entry)
  const worst = alarms.find(({ acknowledged }) => !acknowledged) ?? alarms[0]
  if (!worst) return null
  const others = alarms.length - 1
  return (
    <Callout
      tone={worst.acknowledged ? 'warn' : 'danger'}
      title={[worst.text, worst.sn].filter(Boolean).join(' · ')}
      action={
        <Link to="/alarms" className={buttonStyle({ variant: 'outline', size: 's' })}>
          {t('alarms.show')}
        </Link>
      }
    >
      {worst.next} {others > 0 && t('alarms.more', { count: others })}
    </Callout>
  )
}

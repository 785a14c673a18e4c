import { useEffect } from 'react'
import { Button } from '@/components/ui/button'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { allLive } from '@/lib/live/live-query'
import { invalidate } from '@/lib/query-client'
import { useCommand } from './use-command'

type Props = { sn: string; what: 'pause' | 'charge' }

/** Ends a pause or a charge, and reports if the battery does not. */
export function EndCommand({ sn, what }: Props) {
  const { t, locale } = useT()
  const { command, give, busy, error } = useCommand(sn)
  const done = command?.state === 'done'
  useEffect(() => {
    // The event stream brings it too, if it is not down.
    if (done) void invalidate(allLive)
  }, [done])
  const problem = () => {
    if (error) return refusalText(error, t, locale)
    if (command?.state === 'failed') return command.text ?? t('in_force.end.failed')
    return command?.state === 'expired' ? t('in_force.end.expired') : null
  }
  return (
    <>
      <Button variant="outline" size="s" busy={busy || done} onClick={() => give('auto')}>
        {t(`in_force.end.${what}`)}
      </Button>
      <p role="status" className="basis-full text-sm text-danger empty:hidden">
        {problem()}
      </p>
    </>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { api, unwrap } from '@/lib/api/client'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { logOutAfter } from '@/lib/session/log-out'
import { leaveLoginNotice } from '@/lib/session/login-notice'

export function SessionsCard({ sessions }: { sessions: number }) {
  const { t, locale } = useT()
  const navigate = useNavigate()
  const end = useMutation({
    mutationFn: async () => {
      await logOutAfter(() => unwrap(api.POST('/api/auth/logout/', { body: { all: '1' } })))
      leaveLoginNotice('logged_out_everywhere')
      await navigate({ to: '/login' })
    },
  })
  return (
    <Card title={t('account.sessions')} description={t('account.sessions.text', { count: sessions })}>
      <div className="grid gap-4">
        {end.error && <Callout tone="danger">{refusalText(end.error, t, locale)}</Callout>}
        <Button
          variant="outline"
          busy={end.isPending}
          onClick={() => end.mutate()}
          className="justify-self-start"
        >
          {t('account.sessions.end')}
        </Button>
      </div>
    </Card>
  )
}

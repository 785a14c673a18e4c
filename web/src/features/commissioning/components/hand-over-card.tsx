import { useMutation, useQuery } from '@tanstack/react-query'
import { Mail, QrCode } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { refusalText } from '@/lib/form/refusal-text'
import { formatLongDate } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import { notify } from '@/lib/notify'
import { type ProtocolBody, protocolQuery, useHandOver } from '../data'
import { CustomerCode } from './customer-code'

/** While the code is on the screen: this often the page asks whether the customer has used it. */
const POLL = 3_000

type Props = { protocol: ProtocolBody; handOver: NonNullable<ProtocolBody['hand_over']> }

/** The end of a commissioning: a code makes the customer the owner, and a mail says where the protocol is. */
export function HandOverCard({ protocol, handOver: { owned, code_until } }: Props) {
  const { t, locale } = useT()
  const { issue, withdraw, mail } = useHandOver(protocol.id)
  const timeZone = useTimeZone(protocol.units[0])
  const shown = owned ? undefined : issue.data
  useQuery({
    ...protocolQuery(String(protocol.id), locale),
    refetchInterval: shown ? POLL : false,
  })
  const lastDay = (until: number) => formatLongDate(until - 1, { locale, timeZone })
  const error = issue.error ?? withdraw.error
  if (owned) return <Owned taken={issue.data !== undefined} mail={() => mail({})} />
  return (
    <Card title={t('protocol.hand_over')} description={t('protocol.hand_over.text')}>
      <div className="grid gap-4">
        {error && <Callout tone="danger">{refusalText(error, t, locale)}</Callout>}
        {shown ? (
          <CustomerCode protocol={protocol} shown={shown} until={lastDay(shown.until)} mail={mail} />
        ) : (
          code_until !== null && (
            <p className="num text-md">{t('protocol.code.out', { day: lastDay(code_until) })}</p>
          )
        )}
        <div className="flex flex-wrap gap-3">
          {!shown && (
            <Button size="l" busy={issue.isPending} onClick={() => issue.mutate()}>
              <QrCode aria-hidden className="size-5" />
              {t(code_until === null ? 'protocol.code.show' : 'protocol.code.new')}
            </Button>
          )}
          {code_until !== null && (
            <Button
              size={shown ? 'm' : 'l'}
              variant="ghost"
              busy={withdraw.isPending}
              onClick={() => withdraw.mutate()}
            >
              {t('protocol.code.withdraw')}
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}

type OwnedProps = {
  /** By the code that was on the screen until now. */
  taken: boolean
  mail: () => Promise<unknown>
}

/** The customer has the system, and with it the protocol. */
function Owned({ taken, mail }: OwnedProps) {
  const { t, locale } = useT()
  const send = useMutation({
    mutationFn: mail,
    onSuccess: () => notify.success(t('protocol.mail.owner_done')),
    onError: (error) => notify.error(refusalText(error, t, locale)),
  })
  return (
    <Card title={t('protocol.hand_over')} description={t('protocol.owned')}>
      <div className="grid gap-4">
        {taken && <Callout tone="ok">{t('protocol.code.taken')}</Callout>}
        <Button
          variant="outline"
          busy={send.isPending}
          onClick={() => send.mutate()}
          className="justify-self-start"
        >
          <Mail aria-hidden className="size-4" />
          {t('protocol.mail.owner')}
        </Button>
      </div>
    </Card>
  )
}

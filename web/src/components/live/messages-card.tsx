import { Card } from '@/components/ui/card'
import { useT } from '@/lib/i18n/use-t'
import { useSkew } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import { MessageList } from './message-list'
import { messagesOf } from './model/messages'
import type { Reading } from './model/reading'
import { silentOf, statusWarningsOf } from './model/status-warnings'
import { Notices } from './notices'

/** Ages change slowly, so they are updated this often. In ms. */
const AGE_CHECK = 5_000

/** Current notices, then messages: grid protection, battery errors, and others. */
export function MessagesCard({ reading }: { reading: Reading }) {
  const { t } = useT()
  const { protection, battery, other } = messagesOf(reading.messages)
  const now = useNow(AGE_CHECK) + useSkew()
  const well = statusWarningsOf(reading, now).length === 0
  return (
    <Card title={t('messages.title')}>
      <div className="grid gap-6">
        <Notices reading={reading} silent={silentOf(reading, now)} />
        <div className="grid gap-6 lg:grid-cols-2">
          <MessageList
            title={t('messages.protection')}
            empty={t('messages.protection.none')}
            messages={protection}
          />
          <MessageList
            title={t('messages.battery')}
            empty={t(well ? 'messages.battery.none' : 'messages.battery.none_reported')}
            messages={battery}
          />
          {other.length > 0 && (
            <MessageList title={t('messages.other')} empty={t('messages.other')} messages={other} />
          )}
        </div>
      </div>
    </Card>
  )
}

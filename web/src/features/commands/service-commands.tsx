import { Card } from '@/components/ui/card'
import { useT } from '@/lib/i18n/use-t'
import { Commands } from './commands'
import { MeterTest } from './meter-test'

/**
 * The commands of an electrician with the service scope: those of the owner, a restart, and the meter test.
 */
export function ServiceCommands({ sn }: { sn: string }) {
  const { t } = useT()
  return (
    <Card title={t('command.title')} description={t('command.title.text')}>
      <div className="grid gap-5">
        <Commands sn={sn} restart />
      </div>
      <MeterTest serials={[sn]} />
    </Card>
  )
}

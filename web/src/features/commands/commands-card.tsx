import { useState } from 'react'
import { LookOnly } from '@/components/access/look-only'
import { Card } from '@/components/ui/card'
import { Select } from '@/components/ui/select'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSelection } from '@/lib/selection'
import { useLookOnly } from '@/lib/use-look-only'
import { Commands } from './commands'

/** The battery's commands, and the state of the last one. */
export function CommandsCard() {
  const { t } = useT()
  const { sn: looked, serials: all } = useSelection()
  const { looks, everywhere } = useLookOnly()
  const serials = all.filter((one) => !looks(one))
  const [chosen, setChosen] = useState<string | null>(null)
  const sn = chosen ?? (looked && looked !== ALL_SYSTEMS && !looks(looked) ? looked : serials[0])
  return (
    <Card title={t('command.title')} description={t('command.title.text')}>
      <div className="grid gap-5">
        {serials.length > 1 && (
          <Select
            name="command_sn"
            label={t('command.system')}
            value={sn ?? ''}
            options={serials.map((value) => ({ value, label: value }))}
            onChange={({ target }) => setChosen(target.value)}
          />
        )}
        {everywhere && <LookOnly />}
        {sn && <Commands key={sn} sn={sn} />}
      </div>
    </Card>
  )
}

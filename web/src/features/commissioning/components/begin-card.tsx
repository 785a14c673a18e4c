import { ClipboardCheck } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Checkbox } from '@/components/ui/checkbox'
import type { System } from '@/lib/api/queries'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import type { Work } from '../api'

type Props = { sn: string; systems: readonly System[]; begin: Work['begin'] }

/** Says what it takes, and which units belong to the site. */
export function BeginCard({ sn, systems, begin }: Props) {
  const { t, locale } = useT()
  const [more, setMore] = useState<readonly string[]>([])
  const others = systems.filter((system) => system.sn !== sn && system.access === 'service')
  return (
    <Card title={t('commissioning.begin.title')} description={t('commissioning.begin.text')}>
      <div className="grid gap-5">
        {others.length > 0 && (
          <fieldset>
            <legend className="text-[14px] font-medium">{t('commissioning.begin.units')}</legend>
            <p className="text-[13px] text-muted">{t('commissioning.begin.units.text')}</p>
            <div className="mt-1 max-h-72 overflow-y-auto">
              {others.map((system) => (
                <Checkbox
                  key={system.sn}
                  label={`${system.sn} · L${system.phase}`}
                  checked={more.includes(system.sn)}
                  onChange={({ target }) =>
                    setMore((before) =>
                      target.checked ? [...before, system.sn] : before.filter((one) => one !== system.sn),
                    )
                  }
                />
              ))}
            </div>
          </fieldset>
        )}
        {begin.error && <Callout tone="danger">{refusalText(begin.error, t, locale)}</Callout>}
        <Button size="l" busy={begin.isPending} onClick={() => begin.mutate([sn, ...more])}>
          <ClipboardCheck aria-hidden className="size-5" />
          {t('commissioning.begin')}
        </Button>
      </div>
    </Card>
  )
}

import { ClipboardCheck } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Checkbox } from '@/components/ui/checkbox'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import type { Work } from '../data'
import { type Candidate, candidateLabel } from '../model'

type Props = {
  sn: string
  /** Other units of the same customer. */
  candidates: readonly Candidate[]
  begin: Work['begin']
}

/** Says what it takes, and which units belong to the site. */
export function BeginCard({ sn, candidates, begin }: Props) {
  const { t, locale } = useT()
  const [more, setMore] = useState<readonly string[]>([])
  return (
    <Card title={t('commissioning.begin.title')} description={t('commissioning.begin.text')}>
      <div className="grid gap-5">
        {candidates.length > 0 && (
          <fieldset>
            <legend className="text-md font-medium">{t('commissioning.begin.units')}</legend>
            <p className="text-sm text-muted">{t('commissioning.begin.units.text')}</p>
            <div className="mt-1 max-h-72 overflow-y-auto">
              {candidates.map((unit) => (
                <Checkbox
                  key={unit.sn}
                  label={candidateLabel(unit)}
                  checked={more.includes(unit.sn)}
                  onChange={({ target }) =>
                    setMore((before) =>
                      target.checked ? [...before, unit.sn] : before.filter((one) => one !== unit.sn),
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

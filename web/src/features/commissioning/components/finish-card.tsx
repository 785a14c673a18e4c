import { useNavigate } from '@tanstack/react-router'
import { FileCheck } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { ApiError } from '@/lib/api/errors'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import type { Work } from '../data'
import { type Commissioning, openTitles } from '../model'

type Props = { commissioning: Commissioning; work: Work }

/** The end: the server looks at every step once more, and the protocol is there; or giving up. */
export function FinishCard({ commissioning, work: { finish, drop } }: Props) {
  const { t, locale } = useT()
  const navigate = useNavigate()
  const [dropping, setDropping] = useState(false)
  // What was refused then may have been done since.
  const left = commissioning.steps.filter(({ state }) => state !== 'passed').map(({ title }) => title)
  const named = finish.error instanceof ApiError ? openTitles(finish.error.body) : []
  const open = named.filter((title) => left.includes(title))
  const end = () =>
    finish.mutate(undefined, {
      onSuccess: ({ id }) => void navigate({ to: '/protocol/$id', params: { id: String(id) } }),
    })
  return (
    <Card
      title={t('commissioning.finish.title')}
      description={t(commissioning.complete ? 'commissioning.finish.ready' : 'commissioning.finish.text')}
    >
      <div className="grid gap-4">
        {finish.error && (named.length === 0 || open.length > 0) && (
          <Callout tone="warn" title={t('commissioning.finish.refused')}>
            <p>{refusalText(finish.error, t, locale)}</p>
            <ul className="mt-1 list-disc pl-5">
              {open.map((title) => (
                <li key={title}>{title}</li>
              ))}
            </ul>
          </Callout>
        )}
        <div className="grid gap-3 sm:flex sm:justify-between">
          <Button
            size="l"
            variant={commissioning.complete ? 'primary' : 'outline'}
            busy={finish.isPending}
            onClick={end}
          >
            <FileCheck aria-hidden className="size-5" />
            {t('commissioning.finish')}
          </Button>
          <Button size="l" variant="ghost" onClick={() => setDropping(true)}>
            {t('commissioning.drop')}
          </Button>
        </div>
      </div>
      <ConfirmDialog
        open={dropping}
        onOpenChange={setDropping}
        title={t('commissioning.drop.title')}
        text={t('commissioning.drop.text')}
        confirm={t('commissioning.drop.confirm')}
        work={{
          mutate: () => drop.mutate(undefined, { onSuccess: () => setDropping(false) }),
          isPending: drop.isPending,
          error: drop.error,
        }}
      />
    </Card>
  )
}

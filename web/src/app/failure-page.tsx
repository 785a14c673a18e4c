import type { ErrorComponentProps } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import { failureTexts } from '@/lib/load-chunk'
import { page } from '@/lib/session/page'
import { CentredMessage, CentredPage } from './centred-page'

type Props = Pick<ErrorComponentProps, 'error'>

/** A page crashed, or its script did not load. A reload fetches the current version. */
export function Failure({ error }: Props) {
  const { t } = useT()
  const { title, text } = failureTexts(error)
  return (
    <CentredMessage
      mark={
        <span className="grid size-16 place-items-center rounded-full bg-surface-2 text-muted">
          <Unplug aria-hidden className="size-7" />
        </span>
      }
      title={t(title)}
      text={t(text)}
      action={
        <Button size="l" onClick={() => page.reload()}>
          {t('failure.reload')}
        </Button>
      }
    />
  )
}

/** The same without a layout, in case the layout has failed. */
export function FailurePage({ error }: Props) {
  return (
    <CentredPage>
      <Failure error={error} />
    </CentredPage>
  )
}

import type { ReactNode } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { Button } from './button'

type Props = {
  /** The label of the submit button. */
  submit: ReactNode
  busy: boolean
  /** The action cannot be undone. */
  danger?: boolean
  onCancel: () => void
}

/** The buttons of a form in a dialog: cancel and submit. On a phone submit is on top. */
export function FormButtons({ submit, busy, danger = false, onCancel }: Props) {
  const { t } = useT()
  return (
    <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
      <Button variant="outline" onClick={onCancel}>
        {t('ui.cancel')}
      </Button>
      <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={busy}>
        {submit}
      </Button>
    </div>
  )
}

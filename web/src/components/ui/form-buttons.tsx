import type { ReactNode } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { Button } from './button'

type Props = {
  /** What the form does. */
  submit: ReactNode
  busy: boolean
  /** It cannot be taken back. */
  danger?: boolean
  onCancel: () => void
}

/** The end of a form in a dialog: away from it, or on. On a phone the way on is above. */
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

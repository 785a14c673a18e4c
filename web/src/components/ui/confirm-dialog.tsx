import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { Button } from './button'
import { Callout } from './callout'
import { Dialog } from './dialog'

type Props = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  text: string
  /** The button's label. */
  confirm: string
  work: { mutate: () => void; isPending: boolean; error: unknown }
}

/** Asks for confirmation before an action, and stays open if the action fails. */
export function ConfirmDialog({ open, onOpenChange, title, text, confirm, work }: Props) {
  const { t, locale } = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={text}
      footer={
        <>
          <Button variant="outline" onClick={() => onOpenChange(false)}>
            {t('ui.no')}
          </Button>
          <Button variant="danger" busy={work.isPending} onClick={() => work.mutate()}>
            {confirm}
          </Button>
        </>
      }
    >
      {work.error ? <Callout tone="danger">{refusalText(work.error, t, locale)}</Callout> : null}
    </Dialog>
  )
}

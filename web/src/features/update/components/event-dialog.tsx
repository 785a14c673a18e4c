import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { useT } from '@/lib/i18n/use-t'
import type { UpdateStatus } from '../data'
import type { Announcement } from '../machine'
import { partsLeft } from '../model'
import { switchText } from './update-hints'

type Props = { event: Announcement | null; status: UpdateStatus | undefined; onClose: () => void }

/** Reports what has happened to an awaited update. */
export function EventDialog({ event, status, onClose }: Props) {
  const { t } = useT()
  /**
   * Its text stays while the dialog closes. It opens after the new step, whose heading then gets the focus
   * back.
   */
  const [shown, setShown] = useState<{ open: boolean; shownEvent: Announcement }>({
    open: false,
    shownEvent: 'finished',
  })
  useEffect(() => {
    setShown(({ shownEvent }) => (event ? { open: true, shownEvent: event } : { open: false, shownEvent }))
  }, [event])
  const { open, shownEvent } = shown
  return (
    <Dialog
      open={open}
      onOpenChange={(still) => !still && onClose()}
      title={t(`update.news.${shownEvent}`)}
      description={t(textOf(shownEvent, status), { count: status ? partsLeft(status) : 1 })}
      footer={<Button onClick={onClose}>{t('update.ok')}</Button>}
    >
      {shownEvent === 'part_finished' && status?.switch && (
        <p className="text-lg">{switchText(status.switch, t)}</p>
      )}
      {shownEvent === 'interrupted' && status?.error && <p className="text-lg">{status.error.text}</p>}
    </Dialog>
  )
}

/** A battery that was updated while it ran needs no switching on. */
function textOf(shownEvent: Announcement, status: UpdateStatus | undefined) {
  const on = shownEvent === 'finished' && status?.switch !== 'on' && status?.checks.switched_off === false
  return on ? 'update.news.finished.on' : (`update.news.${shownEvent}.text` as const)
}

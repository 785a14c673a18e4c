import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { useT } from '@/lib/i18n/use-t'
import type { UpdateStatus } from '../api'
import { type News, partsLeft } from '../model'
import { switchText } from './update-hints'

type Props = { news: News | null; status: UpdateStatus | undefined; onClose: () => void }
type Told = Exclude<News, 'cancelled'>

/** Tells what has just happened to the update that somebody waits for. */
export function NewsDialog({ news, status, onClose }: Props) {
  const { t } = useT()
  /** What is shown stays while the dialog fades; and it comes after the new step, to whose heading the focus returns. */
  const [shown, setShown] = useState<{ open: boolean; told: Told }>({ open: false, told: 'finished' })
  useEffect(() => {
    setShown(({ told }) =>
      news && news !== 'cancelled' ? { open: true, told: news } : { open: false, told },
    )
  }, [news])
  const { open, told } = shown
  return (
    <Dialog
      open={open}
      onOpenChange={(still) => !still && onClose()}
      title={t(`update.news.${told}`)}
      description={t(textOf(told, status), { count: status ? partsLeft(status) : 1 })}
      footer={<Button onClick={onClose}>{t('update.ok')}</Button>}
    >
      {told === 'part_finished' && status?.switch && (
        <p className="text-[15px]">{switchText(status.switch, t)}</p>
      )}
      {told === 'interrupted' && status?.error && <p className="text-[15px]">{status.error.text}</p>}
    </Dialog>
  )
}

/** One that is on already, because it was updated while it ran, needs nobody to switch it on. */
function textOf(told: Told, status: UpdateStatus | undefined) {
  const on = told === 'finished' && status?.switch !== 'on' && status?.checks.switched_off === false
  return on ? 'update.news.finished.on' : (`update.news.${told}.text` as const)
}

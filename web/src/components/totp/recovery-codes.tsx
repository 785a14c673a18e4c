import { Copy, Download } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { saveFile } from '@/lib/download'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { recoveryFile } from './model'

type Props = { codes: readonly string[]; onDone: () => void }

/** Shows the codes once; they can be copied or saved as a file. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const { t } = useT()
  const text = useRef<HTMLParagraphElement>(null)
  // The element that had the focus is gone.
  useEffect(() => text.current?.focus(), [])

  async function copy() {
    await navigator.clipboard.writeText(codes.join('\n'))
    notify.success(t('totp.recovery.copied'))
  }

  const download = () =>
    saveFile(
      new Blob([recoveryFile(t('totp.recovery.file'), codes)], { type: 'text/plain' }),
      'suncellar-recovery-codes.txt',
    )

  return (
    <div className="grid gap-5">
      <p ref={text} tabIndex={-1} className="text-md outline-none">
        {t('totp.recovery.text')}
      </p>
      <ul
        aria-label={t('totp.recovery')}
        className="num grid grid-cols-2 gap-x-4 gap-y-2 rounded-xl border border-line bg-surface-2 p-4 text-center text-lg"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <Button variant="outline" size="s" onClick={() => void copy()}>
          <Copy aria-hidden className="size-4" />
          {t('totp.recovery.copy')}
        </Button>
        <Button variant="outline" size="s" onClick={download}>
          <Download aria-hidden className="size-4" />
          {t('totp.recovery.download')}
        </Button>
      </div>
      <Button onClick={onDone} className="sm:justify-self-end">
        {t('totp.recovery.done')}
      </Button>
    </div>
  )
}

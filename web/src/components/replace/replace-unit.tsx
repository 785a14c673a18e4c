import { Replace } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { Button } from '@/components/ui/button'
import { PagePart } from '@/components/ui/page-part'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'

const ReplaceDialog = lazyPart(async () => (await import('./replace-dialog')).ReplaceDialog)

type Props = Pick<ComponentProps<typeof Button>, 'variant'> & {
  sn: string
  electrician?: boolean
  onReplaced?: (sn: string) => void | Promise<void>
}

/** The button that replaces a unit; its dialog is loaded on the first click. */
export function ReplaceUnit({ sn, variant, electrician = false, onReplaced }: Props) {
  const { t } = useT()
  // `number` counts the openings and resets the dialog each time.
  const [dialog, setDialog] = useState({ number: 0, open: false })
  return (
    <>
      <Button
        variant={variant}
        size="s"
        aria-label={t('replace.label', { sn })}
        onClick={() => setDialog(({ number }) => ({ number: number + 1, open: true }))}
      >
        {electrician && <Replace aria-hidden className="size-4" />}
        {t(electrician ? 'replace.begin_long' : 'replace.begin')}
      </Button>
      {dialog.number > 0 && (
        <PagePart>
          <ReplaceDialog
            key={dialog.number}
            open={dialog.open}
            sn={sn}
            electrician={electrician}
            onReplaced={onReplaced}
            onClose={() => setDialog((before) => ({ ...before, open: false }))}
          />
        </PagePart>
      )}
    </>
  )
}

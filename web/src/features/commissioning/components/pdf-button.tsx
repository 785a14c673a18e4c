import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type Protocol, savePdf } from '../api'

/** Hands the protocol over as a file to print and sign. */
export function PdfButton({ protocol }: { protocol: Pick<Protocol, 'id' | 'number'> }) {
  const { t, locale } = useT()
  const save = useMutation({
    mutationFn: () => savePdf(protocol),
    onError: (error) => notify.error(refusalText(error, t, locale)),
  })
  return (
    <Button
      variant="outline"
      busy={save.isPending}
      aria-label={t('protocol.pdf', { number: protocol.number })}
      onClick={() => save.mutate()}
    >
      <Download aria-hidden className="size-4" />
      PDF
    </Button>
  )
}

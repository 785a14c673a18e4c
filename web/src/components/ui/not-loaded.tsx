import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { Button } from './button'
import { Callout } from './callout'

type Props = {
  title?: string
  error: unknown
  /** A retry is pending. */
  busy: boolean
  onRetry: () => unknown
}

/** Replaces content that failed to load: the reason and a retry. */
export function NotLoaded({ title, error, busy, onRetry }: Props) {
  const { t, locale } = useT()
  return (
    <Callout
      tone="danger"
      title={title}
      action={
        <Button variant="outline" size="s" busy={busy} onClick={() => void onRetry()}>
          {t('ui.retry')}
        </Button>
      }
    >
      {refusalText(error, t, locale)}
    </Callout>
  )
}

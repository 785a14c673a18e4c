import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { Button } from './button'
import { Callout } from './callout'

type Props = {
  title?: string
  error: unknown
  /** It is being asked for again. */
  busy: boolean
  onRetry: () => unknown
}

/** In the place of what could not be loaded: why, and a way to ask again. */
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

import { CatchBoundary } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { failureTexts } from '@/lib/load-chunk'
import { page } from '@/lib/session/page'
import { Button } from './button'
import { Callout } from './callout'

type Props = {
  /** Shown while the part's script loads. */
  fallback?: ReactNode
  children: ReactNode
}

/** A part of a page with its own error boundary and suspense: other parts stay. React logs the error. */
export const PagePart = ({ fallback, children }: Props) => (
  <ErrorBoundary>
    <Suspense fallback={fallback}>{children}</Suspense>
  </ErrorBoundary>
)

/** The same without suspense: the page waits for this part. */
export const ErrorBoundary = ({ children }: { children: ReactNode }) => (
  <CatchBoundary getResetKey={() => location.href} errorComponent={PartFailure}>
    {children}
  </CatchBoundary>
)

function PartFailure({ error }: { error: unknown }) {
  const { t } = useT()
  const { title, text } = failureTexts(error)
  return (
    <Callout
      tone="danger"
      title={t(title)}
      action={
        <Button variant="outline" size="s" onClick={() => page.reload()}>
          {t('failure.reload')}
        </Button>
      }
    >
      {t(text)}
    </Callout>
  )
}

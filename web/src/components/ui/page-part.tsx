import { CatchBoundary } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { failureTexts } from '@/lib/load-chunk'
import { page } from '@/lib/session/page'
import { Button } from './button'
import { Callout } from './callout'

type Props = {
  /** In its place while its script is on the way. */
  fallback?: ReactNode
  children: ReactNode
}

/** A part of a page that fails by itself: the other parts stay. React writes the cause on the console. */
export const PagePart = ({ fallback, children }: Props) => (
  <FailingAlone>
    <Suspense fallback={fallback}>{children}</Suspense>
  </FailingAlone>
)

/** The same for a part that the page waits for. */
export const FailingAlone = ({ children }: { children: ReactNode }) => (
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

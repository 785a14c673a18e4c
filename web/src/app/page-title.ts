import { useMatches, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PRODUCT_NAME } from '@/components/ui/logo'
import type { MessageId } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The title in the browser's tab. */
    title?: MessageId
  }
}

/** Sets the tab's title in the page's language. */
export function usePageTitle(id: MessageId | undefined) {
  const { t } = useT()
  useEffect(() => {
    if (id) document.title = `${t(id)} · ${PRODUCT_NAME}`
  }, [id, t])
}

export const useRouteTitle = () =>
  useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.title)?.staticData.title,
  })

/** Focuses the heading after navigation, so that it is read out and Tab continues there. */
export function useHeadingFocus() {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation && pathChanged) focusHeading()
      }),
    [router],
  )
}

function focusHeading() {
  const heading = document.querySelector<HTMLElement>('main h1')
  // Pages that set the focus themselves keep it.
  if (!heading || document.activeElement?.closest('main')) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

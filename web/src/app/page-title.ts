import { useMatches, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PRODUCT_NAME } from '@/components/ui/logo'
import type { MessageId } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Names the page in the browser's tab. */
    title?: MessageId
  }
}

/** The tab's title, in the language of the page. */
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

/** After a change of page the focus is on its heading, so that it is read and the Tab key goes on from there. */
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
  // A page that has put the focus somewhere itself, such as into its first field, knows better.
  if (!heading || document.activeElement?.closest('main')) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

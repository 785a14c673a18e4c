import { Outlet } from '@tanstack/react-router'
import { LoggedOutDialog } from './logged-out-dialog'
import { useHeadingFocus, usePageTitle, useRouteTitle } from './page-title'
import { SkipLink } from './skip-link'

/** The root of every page, independent of its layout. */
export function Root() {
  usePageTitle(useRouteTitle())
  useHeadingFocus()
  return (
    <>
      <SkipLink />
      <Outlet />
      <LoggedOutDialog />
    </>
  )
}

/**
 * The page that somebody wanted who had to log in first, mostly because a mail led there. Only what this tab was opened with, and
 * once: whoever logs in after somebody else has left comes to their own start.
 */
let wanted: string | null | undefined

/** Of the first address that was opened; null where it is shown without a login. */
export function noteFirstPage(page: string | null) {
  if (wanted === undefined) wanted = page
}

export function takeWantedPage(): string | null {
  const page = wanted ?? null
  wanted = null
  return page
}

/** As in a tab that has not opened anything yet. */
export const forgetWantedPage = () => {
  wanted = undefined
}

/** Pagination: the items of a page, and the offered page numbers. */
import { PAGES_SHOWN } from '@/lib/constants'

export const pageCount = (items: number, size: number) => Math.max(1, Math.ceil(items / size))

/** At most five numbers, the current page in their middle if possible. */
export function shownPages(page: number, count: number): number[] {
  const shown = Math.min(PAGES_SHOWN, count)
  const first = Math.min(Math.max(1, page - Math.floor(shown / 2)), count - shown + 1)
  return Array.from({ length: shown }, (_, place) => first + place)
}

/** If the list became shorter, its last page is shown. */
export function pageOf<T>(items: readonly T[], page: number, size: number) {
  const current = Math.min(Math.max(1, page), pageCount(items.length, size))
  return { current, items: items.slice((current - 1) * size, current * size) }
}

/** Which part of a list is on a page, and which page numbers are offered. */
import { PAGES_SHOWN } from '@/lib/constants'

export const pageCount = (items: number, size: number) => Math.max(1, Math.ceil(items / size))

/** At most five numbers, the present page in their middle as far as that is possible. */
export function shownPages(page: number, count: number): number[] {
  const shown = Math.min(PAGES_SHOWN, count)
  const first = Math.min(Math.max(1, page - Math.floor(shown / 2)), count - shown + 1)
  return Array.from({ length: shown }, (_, place) => first + place)
}

/** A list that has become shorter shows its last page instead of nothing. */
export function pageOf<T>(items: readonly T[], page: number, size: number) {
  const current = Math.min(Math.max(1, page), pageCount(items.length, size))
  return { current, items: items.slice((current - 1) * size, current * size) }
}

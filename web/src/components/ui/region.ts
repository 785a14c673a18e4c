/** The part of the page around a place, to which the focus can go when the place itself is about to go. */
export const regionAround = (place: Element): HTMLElement | null =>
  place.parentElement?.closest<HTMLElement>('section, main') ?? null

/** Focuses a region, from which the Tab key goes on and screen readers read. */
export function focusRegion(region: HTMLElement | null | undefined) {
  region?.setAttribute('tabindex', '-1')
  region?.focus({ preventScroll: true })
}

/** For a button that takes itself away: the focus would be nowhere. */
export const goToRegion = (button: Element) => focusRegion(regionAround(button))

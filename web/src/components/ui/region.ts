/** The section around an element, which can take the focus when the element is removed. */
export const regionAround = (place: Element): HTMLElement | null =>
  place.parentElement?.closest<HTMLElement>('section, main') ?? null

/** Focuses a region; Tab and screen readers continue from there. */
export function focusRegion(region: HTMLElement | null | undefined) {
  region?.setAttribute('tabindex', '-1')
  region?.focus({ preventScroll: true })
}

/** For a button that removes itself. */
export const goToRegion = (button: Element) => focusRegion(regionAround(button))

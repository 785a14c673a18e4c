import { type ReactNode, useEffect, useRef, useState } from 'react'

type Props = {
  /** As large as the content will be. */
  placeholder: ReactNode
  children: ReactNode
}

/** So many pixels before it can be seen. */
const NEAR = '200px'

/**
 * Draws its content once its place comes near the screen: what nobody scrolls to is neither loaded nor asked for. The
 * first key brings it too, for the keyboard would pass over what is not there.
 */
export function WhenNear({ placeholder, children }: Props) {
  const [near, setNear] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (near || !place.current) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: NEAR },
    )
    observer.observe(place.current)
    const come = () => setNear(true)
    addEventListener('keydown', come, { once: true })
    return () => {
      observer.disconnect()
      removeEventListener('keydown', come)
    }
  }, [near])
  if (near) return children
  return (
    <div ref={place} data-not-near>
      {placeholder}
    </div>
  )
}

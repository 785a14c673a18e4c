import { type ReactNode, useEffect, useRef, useState } from 'react'

type Props = {
  /** A placeholder of the content's size. */
  placeholder: ReactNode
  children: ReactNode
}

/** Distance from the visible area. */
const ROOT_MARGIN = '200px'

/**
 * Renders its content when it comes near the visible area, so that content below is neither loaded nor
 * requested before. The first key press renders it too: the keyboard cannot reach what is not there.
 */
export function WhenNear({ placeholder, children }: Props) {
  const [near, setNear] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (near || !place.current) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: ROOT_MARGIN },
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

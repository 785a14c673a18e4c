import { type ReactNode, useEffect, useRef } from 'react'

type Props = {
  title: ReactNode
  children?: ReactNode
  /** Focuses the heading, because a form that had the focus was replaced. */
  takesFocus?: boolean
}

/** A heading and an introduction. */
export function AuthHeading({ title, children, takesFocus = false }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  return (
    <header>
      <h1
        ref={heading}
        tabIndex={-1}
        className="text-6xl leading-tight sm:text-7xl font-semibold tracking-tight text-balance outline-none"
      >
        {title}
      </h1>
      {children && <p className="mt-1.5 text-lg text-muted">{children}</p>}
    </header>
  )
}

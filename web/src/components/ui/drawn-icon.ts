/** Draws the icons of Lucide; `vite/lean-icons.ts` makes one of each that is imported. */
import { createElement, type SVGProps } from 'react'

type Shape = [tag: string, attributes: Record<string, string>]

/** An icon of 24 px in the colour of the text around it, which it only accompanies: screen readers skip it. */
export const drawnIcon = (shapes: Shape[]) => (props: SVGProps<SVGSVGElement>) =>
  createElement(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: 24,
      height: 24,
      viewBox: '0 0 24 24',
      fill: 'none',
      stroke: 'currentColor',
      strokeWidth: 2,
      strokeLinecap: 'round',
      strokeLinejoin: 'round',
      'aria-hidden': true,
      ...props,
    },
    ...shapes.map(([tag, attributes]) => createElement(tag, attributes)),
  )

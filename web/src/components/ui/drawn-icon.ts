/** Draws the icons of Lucide; `vite/lean-icons.ts` creates one for each import. */
import { createElement, type SVGProps } from 'react'

type Shape = [tag: string, attributes: Record<string, string>]

/** A 24 px icon in the colour of its text. Decorative, so hidden from screen readers. */
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

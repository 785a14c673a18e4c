import {
  type ComponentProps,
  cloneElement,
  type ReactElement,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useT } from '@/lib/i18n/use-t'
import { failureTexts, loadChunk } from '@/lib/load-chunk'
import { notify } from '@/lib/notify'
import type * as DropdownMenu from './dropdown-menu'

type Parts = typeof DropdownMenu
type Props<P extends Parts> = {
  /** A button. */
  trigger: ReactElement<ComponentProps<'button'>>
  /** Renders the items with the loaded menu parts. */
  children: (parts: P) => ReactNode
  /**
   * Loads items together with the parts: they must exist when the menu opens, or the keyboard finds no first
   * item.
   */
  parts?: () => Promise<P>
  align?: 'start' | 'center' | 'end'
}
/** Opening by key focuses the first item. */
type Opened<P> = { loaded: P; by: 'key' | 'pointer' }

const plain = () => import('./dropdown-menu')

/**
 * A menu that is loaded when the pointer or focus reaches its button. Most visits open none, and it is a
 * seventh of a page's script.
 */
export function Menu<P extends Parts = Parts>({
  trigger,
  parts = plain as () => Promise<P>,
  ...rest
}: Props<P>) {
  const { t } = useT()
  const [opened, setOpened] = useState<Opened<P> | null>(null)
  const load = () => loadChunk(parts)
  if (opened) return <LoadedMenu trigger={trigger} {...opened} {...rest} />
  const prepare = () => void load().catch(() => undefined)
  const open = (by: Opened<P>['by']) =>
    void load().then(
      (loaded) => setOpened({ loaded, by }),
      (error: unknown) => {
        const { title, text } = failureTexts(error)
        notify.error(t(title), { description: t(text) })
      },
    )
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    // A click without a pointer comes from Enter or space.
    onClick: ({ detail }) => open(detail === 0 ? 'key' : 'pointer'),
    onKeyDown: ({ key }) => key === 'ArrowDown' && open('key'),
  })
}

/** Replays the opening event, which happened before the menu was loaded. */
function LoadedMenu<P extends Parts>({
  loaded,
  by,
  trigger,
  children,
  align,
}: Omit<Props<P>, 'parts'> & Opened<P>) {
  const button = useRef<HTMLButtonElement>(null)
  const heard = useRef(false)
  useEffect(() => {
    if (heard.current) return
    heard.current = true
    const event =
      by === 'key'
        ? new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true })
        : new PointerEvent('pointerdown', { bubbles: true })
    button.current?.dispatchEvent(event)
  }, [by])
  const referred = cloneElement(trigger as ReactElement<{ ref: Ref<HTMLButtonElement> }>, { ref: button })
  return (
    <loaded.DropdownMenu trigger={referred} align={align}>
      {children(loaded)}
    </loaded.DropdownMenu>
  )
}

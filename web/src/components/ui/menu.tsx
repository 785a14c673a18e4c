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
  /** Given the parts of which a menu consists. */
  children: (parts: P) => ReactNode
  /** Brings items along with the parts: they have to be there when it opens, or the keyboard finds none to begin with. */
  parts?: () => Promise<P>
  align?: 'start' | 'center' | 'end'
}
/** How it was opened decides whether the first item gets the focus. */
type Opened<P> = { loaded: P; by: 'key' | 'pointer' }

const plain = () => import('./dropdown-menu')

/** A menu that is loaded when somebody is about to open it: most visits open none, and it is a seventh of a page's script. */
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
    // A click without a pointer is the Enter key or the space bar.
    onClick: ({ detail }) => open(detail === 0 ? 'key' : 'pointer'),
    onKeyDown: ({ key }) => key === 'ArrowDown' && open('key'),
  })
}

/** Hears once more what opened it, for it was not there yet. */
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

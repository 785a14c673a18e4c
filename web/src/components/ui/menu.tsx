import { type ComponentProps, cloneElement, type ReactElement, type ReactNode, useState } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { loadChunk } from '@/lib/load-chunk'
import { notify } from '@/lib/notify'
import type * as Parts from './dropdown-menu'

type Props = {
  /** A button. */
  trigger: ReactElement<ComponentProps<'button'>>
  /** Given the parts of which a menu consists. */
  children: (parts: typeof Parts) => ReactNode
  align?: 'start' | 'center' | 'end'
}

const load = () => loadChunk(() => import('./dropdown-menu'))

/** A menu that is loaded when somebody is about to open it: most visits open none, and it is a seventh of a page's script. */
export function Menu({ trigger, children, align }: Props) {
  const { t } = useT()
  const [parts, setParts] = useState<typeof Parts | null>(null)
  if (parts) {
    return (
      <parts.DropdownMenu trigger={trigger} align={align} defaultOpen>
        {children(parts)}
      </parts.DropdownMenu>
    )
  }
  const prepare = () => void load().catch(() => undefined)
  const open = () =>
    void load().then(setParts, () => notify.error(t('failure.chunk'), { description: t('error.network') }))
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: open,
    onKeyDown: ({ key }) => key === 'ArrowDown' && open(),
  })
}

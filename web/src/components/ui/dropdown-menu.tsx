import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from '@/lib/cn'

type MenuProps = {
  /** A button; it receives the menu's ARIA attributes. */
  trigger: ReactNode
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  className?: string
}

/**
 * Not modal: a modal menu locks scrolling with an injected `<style>`, which the CSP refuses. Not in a portal:
 * the menu stays in its button's landmark, where screen readers expect it. Loaded by `menu.tsx`.
 */
export function DropdownMenu({ trigger, children, align = 'end', className }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Content
        align={align}
        sideOffset={6}
        collisionPadding={8}
        // If an item has navigated, the new page's heading already has the focus.
        onCloseAutoFocus={(event) => document.activeElement !== document.body && event.preventDefault()}
        className={cn(
          'card z-30 max-h-(--radix-dropdown-menu-content-available-height) min-w-52 overflow-y-auto p-1.5 text-md shadow-xl',
          className,
        )}
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  )
}

const itemStyle =
  'flex min-h-11 cursor-pointer items-center gap-2.5 rounded-lg px-3 focus-visible:-outline-offset-2 data-highlighted:bg-surface-2 data-disabled:pointer-events-none data-disabled:text-muted [&_svg]:size-4 [&_svg]:shrink-0'

/** With `asChild` a link can be an item. */
export function MenuItem({ className, ...rest }: ComponentProps<typeof Radix.Item>) {
  return <Radix.Item className={cn(itemStyle, className)} {...rest} />
}

export function MenuLabel({ className, ...rest }: ComponentProps<typeof Radix.Label>) {
  return <Radix.Label className={cn('px-3 pt-2 pb-1 text-xs font-medium text-muted', className)} {...rest} />
}

export function MenuSeparator() {
  return <Radix.Separator className="mx-1 my-1.5 h-px bg-line" />
}

type ChoiceProps<T extends string> = {
  label: string
  value: T
  options: readonly { value: T; label: ReactNode }[]
  onChange: (value: T) => void
}

/** A radio group with a tick beside the selected option. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  return (
    <Radix.RadioGroup aria-label={label} value={value} onValueChange={(chosen) => onChange(chosen as T)}>
      {options.map((option) => (
        <Radix.RadioItem
          key={option.value}
          value={option.value}
          className={cn(itemStyle, 'justify-between text-muted data-[state=checked]:text-text')}
        >
          {option.label}
          <Radix.ItemIndicator>
            <Check aria-hidden className="text-battery-text" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

/** A toggle. The menu stays open so that the change is visible. */
export function MenuSwitch({
  checked,
  disabled = false,
  onChange,
  children,
}: {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={cn(itemStyle, 'group justify-between gap-6')}
    >
      {children}
      <span
        aria-hidden
        className="inline-flex h-6 w-10 shrink-0 items-center rounded-full border border-line-strong p-0.5 transition-colors group-data-[state=checked]:border-accent group-data-[state=checked]:bg-accent"
      >
        <span className="size-4.5 rounded-full bg-line-strong transition-transform group-data-[state=checked]:translate-x-4 group-data-[state=checked]:bg-on-accent" />
      </span>
    </Radix.CheckboxItem>
  )
}

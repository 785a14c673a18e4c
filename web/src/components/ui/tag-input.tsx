import { X } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useRef } from 'react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { controlStyle, FieldFrame, type FrameProps } from './field-frame'

type Props = FrameProps & {
  name: string
  tags: string[]
  /** Text that is not a tag yet. */
  draft: string
  onChange: (tags: string[], draft: string) => void
  /** Marks an invalid tag. */
  isWrong?: (tag: string) => boolean
  /** Splits complete text into tags; a tag may contain spaces. */
  split: (text: string) => string[]
  placeholder?: string
}

/**
 * Several short entries in one field. Enter or a comma makes a tag. Blur does not: the field would grow and
 * move the button that is being pressed. Forms count the draft themselves.
 */
export function TagInput({ name, tags, draft, onChange, isWrong, split, placeholder, ...frame }: Props) {
  const { t } = useT()
  const input = useRef<HTMLInputElement>(null)
  const without = (gone: number) => tags.filter((_, index) => index !== gone)

  const finish = (text: string) => onChange(withTags(tags, split(text)), '')

  function type(text: string) {
    const parts = text.split(/[,;]/)
    const rest = parts.pop() ?? ''
    onChange(withTags(tags, parts.flatMap(split)), rest)
  }

  /** A text input drops the line breaks of a pasted list. */
  function onPaste(event: ClipboardEvent) {
    const pasted = event.clipboardData.getData('text')
    if (!/[\s,;]/.test(pasted)) return
    event.preventDefault()
    finish(draft + pasted)
  }

  function onKeyDown(event: KeyboardEvent) {
    // Enter in an empty field submits the form, as usual.
    if (event.key === 'Enter' && draft.trim() !== '') {
      event.preventDefault()
      finish(draft)
    }
    if (event.key === 'Backspace' && draft === '') onChange(tags.slice(0, -1), '')
  }

  return (
    <FieldFrame {...frame}>
      {({ id, ...control }) => (
        <div
          className={cn(
            controlStyle,
            'flex h-auto min-h-12 flex-wrap items-center gap-1.5 px-2 py-1.5 has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-2 has-[input:focus-visible]:outline-focus',
            control['aria-invalid'] && 'border-danger',
          )}
        >
          {tags.length > 0 && (
            <ul className="contents">
              {tags.map((tag, index) => (
                <li
                  key={tag}
                  className={cn(
                    'num flex min-h-8 max-w-full items-center rounded-lg border bg-surface-2 pl-2.5 text-md',
                    isWrong?.(tag) ? 'border-danger text-danger' : 'border-line',
                  )}
                >
                  <span className="min-w-0 break-all">{tag}</span>
                  <button
                    type="button"
                    aria-label={t('ui.remove', { name: tag })}
                    className="grid size-8 shrink-0 place-items-center rounded-lg text-muted hover:text-text"
                    onClick={() => {
                      onChange(without(index), draft)
                      input.current?.focus()
                    }}
                  >
                    <X aria-hidden className="size-4" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...control}
            id={id}
            ref={input}
            name={name}
            value={draft}
            placeholder={tags.length === 0 ? placeholder : undefined}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            onChange={({ target }) => type(target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            className="num h-8 min-w-24 flex-1 bg-transparent px-2 outline-none placeholder:text-muted"
          />
        </div>
      )}
    </FieldFrame>
  )
}

/** Adds new tags without duplicates. */
const withTags = (tags: string[], added: string[]) => [...new Set([...tags, ...added])]

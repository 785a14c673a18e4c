import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from 'react'
import { useT } from '../i18n/use-t'
import { fieldText } from '../validation/field-text'
import {
  countErrors,
  type Errors,
  type Failure,
  type Findings,
  foundErrors,
  readRefusal,
  type Values,
} from './model'

type Options<V extends Values> = {
  initial: V
  /** The rules, as codes. Whatever the server knows better it says itself. */
  check: (values: V) => Findings<V> | Promise<Findings<V>>
  /** Throws what the API throws. */
  send: (values: V) => Promise<unknown>
}

type Change = { target: { value: string } }

/**
 * A form: values, mistakes, sending. A mistake takes the focus to its field and leaves again when the field is
 * changed; nothing typed is ever thrown away.
 */
export function useForm<V extends Values>({ initial, check, send }: Options<V>) {
  const { t } = useT()
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<Errors<V>>({})
  const [failure, setFailure] = useState<Failure | null>(null)
  const [attempt, setAttempt] = useState(0)
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const sending = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: once per attempt, not per keystroke
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempt])

  function set<K extends keyof V>(name: K, value: V[K]) {
    setValues((before) => ({ ...before, [name]: value }))
    setErrors((before) => ({ ...before, [name]: undefined }))
  }

  function refuse(found: Errors<V>, why: Failure) {
    setErrors(found)
    setFailure(why)
    setAttempt((before) => before + 1)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    // State is too slow for a double click.
    if (sending.current) return
    sending.current = true
    setBusy(true)
    try {
      const found = foundErrors<V>(await check(values))
      const wrongFields = countErrors(found)
      if (wrongFields > 0) return refuse(found, { wrongFields, texts: [], error: null })
      setErrors({})
      setFailure(null)
      await send(values)
    } catch (error) {
      const refusal = readRefusal(error, values)
      refuse(refusal.errors, refusal.failure)
    } finally {
      sending.current = false
      setBusy(false)
    }
  }

  return {
    values,
    set,
    busy,
    attempt,
    /** Stays until the next attempt: fields must not jump while somebody types. */
    failure,
    reset: (next: Partial<V> = initial) => setValues((before) => ({ ...before, ...next })),
    error: (name: keyof V & string) => fieldText(errors[name], t),
    /** Spread it into `<form>`. */
    form: { ref: form, onSubmit: submit, noValidate: true },
    /** Spread it into a text field or a select. */
    text: (name: keyof V & string) => ({
      name,
      value: String(values[name]),
      error: fieldText(errors[name], t),
      onChange: ({ target }: Change) => set(name, target.value as V[typeof name]),
    }),
    /** Spread it into a checkbox. */
    tick: (name: keyof V & string) => ({
      name,
      checked: values[name] === true,
      error: fieldText(errors[name], t),
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) => set(name, target.checked as V[typeof name]),
    }),
  }
}

export type FormState = Pick<ReturnType<typeof useForm>, 'failure' | 'attempt'>
export type TextBinding = {
  name: string
  value: string
  error: string | undefined
  onChange: (event: Change) => void
}

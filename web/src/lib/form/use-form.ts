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
  /** Validation in the browser; the server has the final say. */
  check: (values: V) => Findings<V> | Promise<Findings<V>>
  /** Throws API errors. */
  send: (values: V) => Promise<unknown>
}

type Change = { target: { value: string } }

/**
 * A form's values, errors and submission. An error focuses its field and is cleared when the field changes;
 * typed values are never lost.
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
    // State updates are too slow for a double click.
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
    /** Stays until the next attempt, so that fields do not move while typing. */
    failure,
    reset: (next: Partial<V> = initial) => setValues((before) => ({ ...before, ...next })),
    error: (name: keyof V & string) => fieldText(errors[name], t),
    /** Props for `<form>`. */
    form: { ref: form, onSubmit: submit, noValidate: true },
    /** Props for a text field or a select. */
    text: (name: keyof V & string) => ({
      name,
      value: String(values[name]),
      error: fieldText(errors[name], t),
      onChange: ({ target }: Change) => set(name, target.value as V[typeof name]),
    }),
    /** Props for a checkbox. */
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

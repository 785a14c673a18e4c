import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { FormProblem } from '@/components/ui/form-problem'
import { TagInput } from '@/components/ui/tag-input'
import { addKeys, type KeyResult } from '@/lib/data/claims'
import { useForm } from '@/lib/form/use-form'
import { useFragment } from '@/lib/fragment'
import { useT } from '@/lib/i18n/use-t'
import { fieldText } from '@/lib/validation/field-text'
import { checkKey, splitKeys } from '@/lib/validation/key'
import { KeyResults } from './key-results'
import { firstWrongKey, joinKeys, sortOutcomes } from './model'

type Props = { onAdded?: (results: KeyResult[]) => void }

/**
 * Adds serial numbers and registration codes, and shows the result of each. Failed keys stay in the field.
 */
export function AddKeysForm({ onAdded }: Props) {
  const { t } = useT()
  // A mailed link brings a code (`#key=…`), for instance from a former owner.
  const mailed = useFragment('key')
  const [results, setResults] = useState<KeyResult[]>([])
  const form = useForm({
    initial: { keys: '', draft: mailed ?? '' },
    check: (values) => {
      const wrong = firstWrongKey(keysOf(values))
      if (!wrong) return {}
      // After the submit the draft becomes a tag, which marks it as wrong.
      form.reset({ keys: keysOf(values).filter(Boolean).join(','), draft: '' })
      const text = fieldText(wrong.finding, t)
      return { keys: wrong.key ? `${wrong.key}: ${text}` : wrong.finding }
    },
    send: async (values) => {
      setResults([])
      const keys = await addKeys(joinKeys(keysOf(values)))
      setResults(keys)
      form.reset({
        keys: sortOutcomes(keys)
          .failed.map(({ key }) => key)
          .join(','),
        draft: '',
      })
      onAdded?.(keys)
    },
  })
  return (
    <div className="grid gap-4">
      <form {...form.form} className="grid gap-4">
        <FormProblem form={form} />
        <TagInput
          name="keys"
          label={t('keys.label')}
          hint={t('keys.add_hint')}
          error={form.error('keys')}
          tags={tagsOf(form.values.keys)}
          draft={form.values.draft}
          isWrong={(key) => checkKey(key) !== null}
          split={splitKeys}
          onChange={(tags, draft) => {
            form.set('keys', tags.join(','))
            form.set('draft', draft)
          }}
        />
        <Button type="submit" variant="outline" busy={form.busy} className="justify-self-start">
          {t('keys.add')}
        </Button>
      </form>
      <KeyResults results={results} />
    </div>
  )
}

const tagsOf = (keys: string) => keys.split(',').filter(Boolean)

/** All tags and the draft; one empty key if there are none. */
function keysOf({ keys, draft }: { keys: string; draft: string }): string[] {
  const all = [...tagsOf(keys), ...splitKeys(draft)]
  return all.length > 0 ? all : ['']
}

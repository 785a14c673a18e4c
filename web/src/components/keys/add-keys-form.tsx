import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { FormProblem } from '@/components/ui/form-problem'
import { TagInput } from '@/components/ui/tag-input'
import { api, unwrap } from '@/lib/api/client'
import { claimsQuery, type KeyResult, systemsQuery } from '@/lib/api/queries'
import { useForm } from '@/lib/form/use-form'
import { useFragment } from '@/lib/fragment'
import { useT } from '@/lib/i18n/use-t'
import { fieldText } from '@/lib/validation/field-text'
import { checkKey, splitKeys } from '@/lib/validation/key'
import { KeyResults } from './key-results'
import { firstWrongKey, joinKeys, sortOutcomes } from './model'

type Props = { onAdded?: (results: KeyResult[]) => void }

/** Serial numbers and registration codes, with what became of each. Keys that failed stay in the box. */
export function AddKeysForm({ onAdded }: Props) {
  const { t } = useT()
  const queries = useQueryClient()
  // An invitation or a house's former owner mails a code to somebody who may have an account already.
  const mailed = useFragment('key')
  const [results, setResults] = useState<KeyResult[]>([])
  const form = useForm({
    initial: { keys: '', draft: mailed ?? '' },
    check: (values) => {
      const wrong = firstWrongKey(listed(values))
      if (!wrong) return {}
      // Now that the button has been pressed, what was typed may become a tag, which shows that it is wrong.
      form.reset({ keys: listed(values).filter(Boolean).join(','), draft: '' })
      const text = fieldText(wrong.finding, t)
      return { keys: wrong.key ? `${wrong.key}: ${text}` : wrong.finding }
    },
    send: async (values) => {
      setResults([])
      const body = { keys: joinKeys(listed(values)) }
      const { keys } = await unwrap(api.POST('/api/auth/usr_sn/', { body }))
      setResults(keys)
      form.reset({
        keys: sortOutcomes(keys)
          .failed.map(({ key }) => key)
          .join(','),
        draft: '',
      })
      for (const { queryKey } of [systemsQuery, claimsQuery]) void queries.invalidateQueries({ queryKey })
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

/** All keys, the one that is still being typed included; one empty one if there are none. */
function listed({ keys, draft }: { keys: string; draft: string }): string[] {
  const all = [...tagsOf(keys), ...splitKeys(draft)]
  return all.length > 0 ? all : ['']
}

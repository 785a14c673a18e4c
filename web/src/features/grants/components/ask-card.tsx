import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { checkSerial } from '@/lib/validation/key'
import { askForGrant } from '../api'
import { INSTALLER_SCOPES } from '../model'
import { ScopeChoice } from './scope-choice'

/** Asks the owner by serial number. Whether it exists is not told. */
export function AskCard() {
  const { t } = useT()
  const [asked, setAsked] = useState<string | null>(null)
  const form = useForm({
    initial: { sn: '', scope: 'service' },
    check: ({ sn }) => ({ sn: checkSerial(sn) }),
    send: async ({ sn, scope }) => {
      setAsked(null)
      const { text } = await askForGrant({ sn: sn.trim(), scope })
      setAsked(text)
      form.reset({ sn: '' })
    },
  })
  return (
    <Card title={t('grants.ask')} description={t('grants.ask.text')}>
      <form {...form.form} className="grid gap-4">
        <FormProblem form={form} />
        {asked && <Callout tone="ok">{asked}</Callout>}
        <Field
          {...form.text('sn')}
          label={t('grants.serial')}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
          className="num"
        />
        <ScopeChoice field={form.text('scope')} label={t('grants.scope_wanted')} scopes={INSTALLER_SCOPES} />
        <Button type="submit" variant="outline" busy={form.busy} className="justify-self-start">
          {t('grants.ask.submit')}
        </Button>
      </form>
    </Card>
  )
}

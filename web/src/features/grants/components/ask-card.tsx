import { useState } from 'react'
import { requestAccess } from '@/components/access/data'
import { MessageField } from '@/components/access/message-field'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { FormProblem } from '@/components/ui/form-problem'
import { TextArea } from '@/components/ui/text-area'
import type { InstallerScope } from '@/lib/data/grants'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { checkSerial } from '@/lib/validation/key'
import { INSTALLER_SCOPES, serialsIn } from '../model'
import { ScopeChoice } from './scope-choice'

/** Requests access by serial number, one or a list. The answer does not reveal whether a system exists. */
export function AskCard() {
  const { t } = useT()
  const [asked, setAsked] = useState<string | null>(null)
  const form = useForm({
    initial: { sn: '', scope: 'service', message: '' },
    check: ({ sn }) => {
      const serials = serialsIn(sn)
      const wrong = serials.find((one) => checkSerial(one))
      if (serials.length > 1 && wrong !== undefined) return { sn: t('ask.serial_wrong', { sn: wrong }) }
      return { sn: checkSerial(serials[0] ?? '') }
    },
    send: async ({ sn, scope, message }) => {
      setAsked(null)
      const requests = serialsIn(sn).map((one) => ({ sn: one, scope: scope as InstallerScope }))
      setAsked(await requestAccess(requests, message))
      form.reset({ sn: '', message: '' })
    },
  })
  return (
    <Card title={t('grants.ask')} description={t('grants.ask.text')}>
      <form {...form.form} className="grid gap-4">
        <FormProblem form={form} />
        {asked && <Callout tone="ok">{asked}</Callout>}
        <TextArea
          {...form.text('sn')}
          label={t('ask.serials')}
          hint={t('ask.serials.hint')}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
          rows={1}
          className="num"
        />
        <ScopeChoice field={form.text('scope')} label={t('grants.scope_wanted')} scopes={INSTALLER_SCOPES} />
        <MessageField field={form.text('message')} />
        <Button type="submit" variant="outline" busy={form.busy} className="justify-self-start">
          {t('grants.ask.submit')}
        </Button>
      </form>
    </Card>
  )
}

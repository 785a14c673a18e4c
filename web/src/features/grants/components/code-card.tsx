import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { checkRegistrationCode, normaliseKey } from '@/lib/validation/key'
import { redeemInstallerCode } from '../data'

/** Redeems the installer code from the box of a new battery. It has the format of a registration code. */
export function CodeCard() {
  const { t } = useT()
  const [opened, setOpened] = useState<string[] | null>(null)
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => {
      const found = checkRegistrationCode(code)
      return { code: found === 'code_unknown' ? t('grants.code.shape') : found }
    },
    send: async ({ code }) => {
      setOpened(null)
      const { grants } = await redeemInstallerCode(normaliseKey(code))
      setOpened(grants.map(({ sn }) => sn))
      form.reset()
    },
  })
  return (
    <Card title={t('grants.code')} description={t('grants.code.text')}>
      <form {...form.form} className="grid gap-4">
        <FormProblem form={form} />
        {opened?.[0] && (
          <Callout
            tone="ok"
            action={
              <Link
                to="/electrician-dashboard/$sn/commissioning"
                params={{ sn: opened[0] }}
                className={buttonStyle({ size: 's' })}
              >
                {t('grants.code.commission')}
              </Link>
            }
          >
            {t('grants.code.done', { systems: opened.join(', ') })}
          </Callout>
        )}
        <Field
          {...form.text('code')}
          label={t('grants.code.label')}
          placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
          className="num"
        />
        <Button type="submit" variant="outline" busy={form.busy} className="justify-self-start">
          {t('grants.code.submit')}
        </Button>
      </form>
    </Card>
  )
}

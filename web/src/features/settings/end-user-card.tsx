import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LookOnly } from '@/components/access/look-only'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { nameEndUser, type System, systemsQuery } from '@/lib/data/systems'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { useLookOnly } from '@/lib/use-look-only'

/** Access levels that may change the name. */
const MAY_NAME: readonly string[] = ['owner', 'member', 'configure', 'service']

/** The end user's name for each system. */
export function EndUserCard() {
  const { t } = useT()
  const { data: all } = useQuery(systemsQuery)
  const { everywhere } = useLookOnly()
  const systems = all?.filter(({ access }) => MAY_NAME.includes(access))
  const [chosen, setChosen] = useState<string | null>(null)
  const system = systems?.find(({ sn }) => sn === chosen) ?? systems?.[0]
  return (
    <Card title={t('end_user.title')} description={t('end_user.text')} aria-busy={!systems}>
      {!systems && <Skeleton key="waiting" className="h-60" />}
      {everywhere && <LookOnly />}
      {systems?.length === 0 && !everywhere && <p className="text-md text-muted">{t('end_user.none')}</p>}
      {system && (
        <div key="form" className="grid gap-4">
          {systems && systems.length > 1 && (
            <Select
              name="end_user_sn"
              label={t('command.system')}
              value={system.sn}
              options={systems.map((one) => ({ value: one.sn, label: labelOf(one) }))}
              onChange={({ target }) => setChosen(target.value)}
            />
          )}
          <EndUserForm key={system.sn} system={system} />
        </div>
      )}
    </Card>
  )
}

const labelOf = ({ sn, first_name, last_name }: System) =>
  [sn, [first_name, last_name].filter(Boolean).join(' ')].filter(Boolean).join(' · ')

const checkName = (name: string) => (name.trim() === '' ? 'required' : null)

function EndUserForm({ system: { sn, first_name, last_name } }: { system: System }) {
  const { t } = useT()
  const form = useForm({
    initial: { first_name: first_name ?? '', last_name: last_name ?? '' },
    check: (values) => ({
      first_name: checkName(values.first_name),
      last_name: checkName(values.last_name),
    }),
    send: async (body) => {
      await nameEndUser(sn, body)
      notify.success(t('end_user.saved'))
    },
  })
  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      <Field
        {...form.text('first_name')}
        label={t('end_user.first_name')}
        autoComplete="given-name"
        required
      />
      <Field
        {...form.text('last_name')}
        label={t('end_user.last_name')}
        autoComplete="family-name"
        required
      />
      <Button type="submit" variant="outline" busy={form.busy} className="justify-self-start">
        {t('account.save')}
      </Button>
    </form>
  )
}

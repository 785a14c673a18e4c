import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { FormProblem } from '@/components/ui/form-problem'
import { api, unwrap } from '@/lib/api/client'
import { accountQuery } from '@/lib/data/account'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { page } from '@/lib/session/page'
import { useSession } from '@/lib/session/session-store'
import { AuthHeading } from './auth-heading'
import { denyAddress, isAddress, type PartnerRequest, scopesOf } from './partner-model'

type Props = {
  /** The app's name in the server's records, not the one in the request. */
  appName: string
  request: PartnerRequest
  onOtherAccount: () => void
}

/** The access that the app asks for, and the owner's answer. */
export function Consent({ appName, request, onOtherAccount }: Props) {
  const { t } = useT()
  const role = useSession((session) => session.role)
  return (
    <div className="grid gap-6">
      <AuthHeading takesFocus title={t('partner.title', { app: appName })}>
        {t('partner.text')}
      </AuthHeading>
      <LoggedInAs onOtherAccount={onOtherAccount} />
      {role === 'electrician' ? (
        <Callout tone="warn">{t('partner.only_owners')}</Callout>
      ) : (
        <>
          <ScopeList appName={appName} request={request} />
          <Answer request={request} />
        </>
      )}
    </div>
  )
}

function LoggedInAs({ onOtherAccount }: { onOtherAccount: () => void }) {
  const { t } = useT()
  const { data } = useQuery(accountQuery)
  return (
    <div className="card flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 pr-2 pl-4 text-md">
      <span className="min-w-0">
        <span className="block text-xs text-muted">{t('partner.logged_in_as')}</span>
        <span className="block min-h-[1.45em] break-all">{data?.email}</span>
      </span>
      <Button variant="ghost" size="s" onClick={onOtherAccount}>
        {t('partner.other_account')}
      </Button>
    </div>
  )
}

function ScopeList({ appName, request }: { appName: string; request: PartnerRequest }) {
  const { t } = useT()
  return (
    <section className="grid gap-3 text-lg">
      <h2 className="font-semibold">{t('partner.will_see', { app: appName })}</h2>
      <ul className="grid gap-2">
        {scopesOf(request.scope).map((scope) => (
          <li key={scope} className="flex items-start gap-2.5">
            <Check aria-hidden className="mt-0.5 size-4.5 shrink-0 text-ok" />
            {t(`partner.scope.${scope}`)}
          </li>
        ))}
      </ul>
      <p className="text-md text-muted">{t('partner.cannot')}</p>
      <p className="text-md text-muted">{t('partner.can_end')}</p>
    </section>
  )
}

function Answer({ request }: { request: PartnerRequest }) {
  const { t } = useT()
  const [leaving, setLeaving] = useState(false)
  function leaveFor(address: string) {
    setLeaving(true)
    page.goTo(address)
  }
  const form = useForm({
    initial: {},
    check: () => ({}),
    send: async () => {
      const { redirect } = await unwrap(api.POST('/api/auth/partner/', { body: request }))
      if (isAddress(redirect)) leaveFor(redirect)
    },
  })
  return (
    <form {...form.form} className="grid gap-3">
      <FormProblem form={form} />
      <Button type="submit" size="l" busy={form.busy || leaving}>
        {t('partner.allow')}
      </Button>
      <Button size="l" variant="outline" onClick={() => leaveFor(denyAddress(request))}>
        {t('partner.deny')}
      </Button>
    </form>
  )
}

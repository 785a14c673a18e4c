import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button, buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { NewPasswordFields } from '@/components/ui/new-password-fields'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { api, unwrap } from '@/lib/api/client'
import { ApiError } from '@/lib/api/errors'
import type { components } from '@/lib/api/schema'
import { refusalText } from '@/lib/form/refusal-text'
import { useForm } from '@/lib/form/use-form'
import { useFragment } from '@/lib/fragment'
import { countryOptions, likelyCountry } from '@/lib/i18n/country-names'
import { useT } from '@/lib/i18n/use-t'
import { leaveLoginNotice } from '@/lib/session/login-notice'
import { loadPhoneCheck } from '@/lib/validation/load-phone-check'
import { AuthHeading } from './auth-heading'
import { openedInvitationQuery } from './data'
import { checkJoin } from './model'
import { TermsCheckbox } from './terms-checkbox'

type Invitation = components['schemas']['OpenedInvitation']

const isLinkInvalid = (error: unknown) => error instanceof ApiError && error.code === 'link_invalid'

/** Joins an electrician's company by the mailed link `#token=…`. */
export function JoinPage() {
  const token = useFragment('token')
  return token ? <OpenedLink key={token} token={token} /> : <LinkInvalid />
}

function OpenedLink({ token }: { token: string }) {
  const { t, locale } = useT()
  const { data, error, isFetching, refetch } = useQuery(openedInvitationQuery(token))
  if (isLinkInvalid(error)) return <LinkInvalid />
  if (data) return <Opened token={token} invitation={data} onLinkInvalid={() => void refetch()} />
  return (
    <div className="grid gap-6" aria-busy={isFetching}>
      <AuthHeading title={t('join.title')} />
      {error ? (
        <>
          <Callout tone="danger">{refusalText(error, t, locale)}</Callout>
          <Button size="l" busy={isFetching} onClick={() => void refetch()}>
            {t('ui.retry')}
          </Button>
        </>
      ) : (
        <Skeleton className="h-24" />
      )}
    </div>
  )
}

type OpenedProps = { token: string; invitation: Invitation; onLinkInvalid: () => void }

function Opened({ token, invitation, onLinkInvalid }: OpenedProps) {
  const { t } = useT()
  const { company, email, role, has_account: hasAccount } = invitation
  return (
    <div className="grid gap-7">
      <AuthHeading title={t('join.title_company', { company })}>
        {t('join.text', { email, role: t(`company_role.${role}`) })}
      </AuthHeading>
      {hasAccount ? (
        <>
          <Callout tone="danger">{t('join.has_account', { email })}</Callout>
          <ToLogin />
        </>
      ) : (
        <JoinForm token={token} onLinkInvalid={onLinkInvalid} />
      )}
    </div>
  )
}

function LinkInvalid() {
  const { t } = useT()
  return (
    <div className="grid gap-7">
      <AuthHeading title={t('join.title')} />
      <Callout tone="danger">{t('join.link_invalid')}</Callout>
      <ToLogin />
    </div>
  )
}

function ToLogin() {
  const { t } = useT()
  return (
    <Link to="/login" className={buttonStyle({ size: 'l' })}>
      {t('register.to_login')}
    </Link>
  )
}

function JoinForm({ token, onLinkInvalid }: { token: string; onLinkInvalid: () => void }) {
  const { t, locale } = useT()
  const navigate = useNavigate()
  const form = useForm({
    initial: {
      name: '',
      password: '',
      password2: '',
      country: likelyCountry(locale),
      phone: '',
      terms: false,
    },
    check: async (values) => checkJoin(values, await loadPhoneCheck().catch(() => null)),
    send: async ({ terms, ...values }) => {
      try {
        const body = { token, ...values, terms }
        await unwrap(api.POST('/api/auth/company/invitation/accept/', { body }))
        leaveLoginNotice('account_ready', 'electrician')
        await navigate({ to: '/login' })
      } catch (error) {
        if (!isLinkInvalid(error)) throw error
        onLinkInvalid()
      }
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <Field
        {...form.text('name')}
        label={t('form.name')}
        hint={t('form.name.hint')}
        autoComplete="name"
        required
      />
      <NewPasswordFields
        password={form.text('password')}
        repeat={form.text('password2')}
        label={t('form.password')}
      />
      <Select
        {...form.text('country')}
        label={t('form.country')}
        placeholder={t('form.choose')}
        options={countryOptions(locale)}
        autoComplete="country"
        required
      />
      <Field {...form.text('phone')} label={t('form.phone')} type="tel" autoComplete="tel" required />
      <TermsCheckbox {...form.tick('terms')} />
      <Button type="submit" size="l" busy={form.busy}>
        {t('join.submit')}
      </Button>
    </form>
  )
}

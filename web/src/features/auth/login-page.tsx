import { Link, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { EmailConfirmation } from '@/components/account/email-confirmation'
import { Callout } from '@/components/ui/callout'
import { textLinkStyle } from '@/components/ui/text-link'
import { useFragment } from '@/lib/fragment'
import { useT } from '@/lib/i18n/use-t'
import { dismissLoginNotice, readLoginNotice } from '@/lib/session/login-notice'
import { dashboardOf } from '@/lib/session/role-home'
import type { Role } from '@/lib/session/tokens'
import { takeWantedPage } from '@/lib/session/wanted-page'
import { AuthHeading } from './auth-heading'
import { LoginForm } from './login-form'

export function LoginPage() {
  const { t } = useT()
  const navigate = useNavigate()
  const { history } = useRouter()
  // Of somebody who was given a code and has an account already.
  const key = useFragment('key')
  const [news] = useState(readLoginNotice)
  useEffect(dismissLoginNotice, [])
  const hash = key === null ? undefined : `key=${key}`
  function goOn(role: Role, mustEnrol: boolean) {
    if (mustEnrol) return navigate({ to: '/enrol' })
    if (hash && role === 'user') return navigate({ to: '/settings', hash })
    const wanted = takeWantedPage()
    return wanted ? history.push(wanted) : navigate({ to: dashboardOf(role) })
  }
  return (
    <div className="grid gap-7">
      <AuthHeading title={t('login.title')}>{t('login.text')}</AuthHeading>
      {news && <Callout tone="ok">{t(`login.notice.${news.notice}`)}</Callout>}
      <EmailConfirmation />
      <LoginForm
        chooseFrom={news?.role ?? 'user'}
        onLoggedIn={goOn}
        onNoSystems={() => navigate({ to: '/connect', hash })}
      />
      <p className="text-center text-md text-muted">
        {t('login.no_account')}{' '}
        <Link to="/register" hash={hash} className={textLinkStyle}>
          {t('login.register')}
        </Link>
      </p>
    </div>
  )
}

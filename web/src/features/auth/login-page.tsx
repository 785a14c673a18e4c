import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { EmailConfirmation } from '@/components/account/email-confirmation'
import { Callout } from '@/components/ui/callout'
import { textLinkStyle } from '@/components/ui/text-link'
import { useT } from '@/lib/i18n/use-t'
import { dismissLoginNotice, readLoginNotice } from '@/lib/session/login-notice'
import { dashboardOf } from '@/lib/session/role-home'
import { AuthHeading } from './auth-heading'
import { LoginForm } from './login-form'

export function LoginPage() {
  const { t } = useT()
  const navigate = useNavigate()
  const [news] = useState(readLoginNotice)
  useEffect(dismissLoginNotice, [])
  return (
    <div className="grid gap-7">
      <AuthHeading title={t('login.title')}>{t('login.text')}</AuthHeading>
      {news && <Callout tone="ok">{t(`login.notice.${news.notice}`)}</Callout>}
      <EmailConfirmation />
      <LoginForm
        chooseFrom={news?.role ?? 'user'}
        onLoggedIn={(role, mustEnrol) => navigate({ to: mustEnrol ? '/enrol' : dashboardOf(role) })}
        onNoSystems={() => navigate({ to: '/connect' })}
      />
      <p className="text-center text-[14px] text-muted">
        {t('login.no_account')}{' '}
        <Link to="/register" className={textLinkStyle}>
          {t('login.register')}
        </Link>
      </p>
    </div>
  )
}

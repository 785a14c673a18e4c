import { Check, Dot } from 'lucide-react'
import { cn } from '@/lib/cn'
import { PASSWORD_MIN } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'
import { PASSWORD_RULES, type PasswordRule } from '@/lib/validation/password'

const RULES = Object.keys(PASSWORD_RULES) as PasswordRule[]

/** The password's rules, with those that are met so far. */
export function PasswordRules({
  id,
  password,
  className,
}: {
  id: string
  password: string
  className?: string
}) {
  const { t } = useT()
  return (
    <ul
      id={id}
      aria-label={t('password.rules')}
      className={cn('grid gap-x-4 gap-y-1 text-sm sm:grid-cols-2', className)}
    >
      {RULES.map((rule) => {
        const met = PASSWORD_RULES[rule](password)
        const Icon = met ? Check : Dot
        return (
          <li key={rule} className={cn('flex items-center gap-1.5', met ? 'text-ok' : 'text-muted')}>
            <Icon aria-hidden className="size-4 shrink-0" />
            {t(`password.rule.${rule}`, { min: PASSWORD_MIN })}
            <span className="sr-only">{t(met ? 'password.rule.met' : 'password.rule.open')}</span>
          </li>
        )
      })}
    </ul>
  )
}

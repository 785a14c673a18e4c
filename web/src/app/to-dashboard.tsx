import { Link } from '@tanstack/react-router'
import { buttonStyle } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import { dashboardOf } from '@/lib/session/role-home'
import { useSession } from '@/lib/session/session-store'

/** A button for pages that have nothing to show. */
export function ToDashboard() {
  const { t } = useT()
  const role = useSession((session) => session.role)
  return (
    <Link to={dashboardOf(role)} className={buttonStyle({ variant: 'outline' })}>
      {t('empty.to_dashboard')}
    </Link>
  )
}

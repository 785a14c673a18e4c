import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { CircleUserRound, LogOut, Settings } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Menu } from '@/components/ui/menu'
import { useT } from '@/lib/i18n/use-t'
import { profileSettings } from './nav-items'

export function ProfileMenu() {
  const { t } = useT()
  const navigate = useNavigate()
  const settings = useLocation({ select: ({ pathname }) => profileSettings(pathname) })
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label={t('top.account')}>
          <CircleUserRound aria-hidden className="size-5" />
        </Button>
      }
    >
      {({ MenuItem }) => (
        <>
          <MenuItem asChild>
            <Link to={settings}>
              <Settings aria-hidden />
              {t('nav.settings')}
            </Link>
          </MenuItem>
          {/* Not a link: links preload their pages on hover, and this one logs out. */}
          <MenuItem onSelect={() => void navigate({ to: '/logout', replace: true })}>
            <LogOut aria-hidden />
            {t('top.log_out')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

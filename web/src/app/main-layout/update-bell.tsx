import { Link } from '@tanstack/react-router'
import { Bell, CloudDownload } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Menu } from '@/components/ui/menu'
import { useT } from '@/lib/i18n/use-t'
import { updatableOf } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'

/** Serial numbers with a pending update, each a way to the update page. */
export function UpdateBell() {
  const { t } = useT()
  const { data: live } = useLive()
  const pending = live ? updatableOf(live) : []
  const count = pending.length
  return (
    <Menu
      trigger={
        <Button
          variant="ghost"
          size="icon"
          aria-label={count > 0 ? t('top.updates_pending', { count }) : t('top.updates')}
          className="relative"
        >
          <Bell aria-hidden className="size-[19px]" />
          {count > 0 && (
            <span
              aria-hidden
              className="absolute top-2.5 right-2.5 size-2 rounded-full bg-warn ring-2 ring-bg"
            />
          )}
        </Button>
      }
    >
      {({ MenuItem, MenuLabel }) =>
        count === 0 ? (
          <MenuItem disabled>{t('top.no_update')}</MenuItem>
        ) : (
          <>
            <MenuLabel>{t('top.updates_pending', { count })}</MenuLabel>
            {pending.map((sn) => (
              <MenuItem key={sn} asChild>
                <Link to="/update">
                  <CloudDownload aria-hidden />
                  <span className="num">{sn}</span>
                </Link>
              </MenuItem>
            ))}
          </>
        )
      }
    </Menu>
  )
}

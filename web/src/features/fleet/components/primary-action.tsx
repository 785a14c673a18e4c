import { Link } from '@tanstack/react-router'
import { BellRing, ClipboardCheck, CloudDownload, KeyRound, Power, SlidersHorizontal } from 'lucide-react'
import type { ReactNode } from 'react'
import { AskAccess } from '@/components/access/ask-access'
import { Button, buttonStyle } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import type { Primary } from '../model/primary'

/** Anchors of the page's sections. */
export const PART = { alarms: 'alarms', firmware: 'firmware' } as const

const SIZE = 'min-h-11 max-sm:w-full'

/** The only primary button of the page. */
export function PrimaryAction({ sn, action }: { sn: string; action: Primary }) {
  const { t } = useT()
  const look = { className: `${buttonStyle({ size: 's' })} ${SIZE}` }
  const icon = 'size-4'
  switch (action) {
    case 'start_commissioning':
    case 'continue_commissioning':
      return (
        <Link to="/electrician-dashboard/$sn/commissioning" params={{ sn }} {...look}>
          <ClipboardCheck aria-hidden className={icon} />
          {t(`fleet.primary.${action}`)}
        </Link>
      )
    case 'alarm':
      return (
        <Jump to={PART.alarms}>
          <BellRing aria-hidden className={icon} />
          {t('fleet.primary.alarm')}
        </Jump>
      )
    case 'switch':
    case 'update':
      return (
        <Jump to={PART.firmware}>
          {action === 'switch' ? (
            <Power aria-hidden className={icon} />
          ) : (
            <CloudDownload aria-hidden className={icon} />
          )}
          {t(`fleet.primary.${action}`)}
        </Jump>
      )
    case 'settings':
      return (
        <Link to="/electrician-settings" search={{ part: 'storage', sn }} {...look}>
          <SlidersHorizontal aria-hidden className={icon} />
          {t('fleet.change_settings')}
        </Link>
      )
    case 'ask':
      return (
        <AskAccess requests={[{ sn, scope: 'service' }]} size="s" className={SIZE}>
          <KeyRound aria-hidden className={icon} />
          {t('ask.service')}
        </AskAccess>
      )
  }
}

/** Scrolls to a section and focuses it. */
function Jump({ to, children }: { to: string; children: ReactNode }) {
  const go = () => {
    const part = document.getElementById(to)
    part?.scrollIntoView()
    part?.focus({ preventScroll: true })
  }
  return (
    <Button size="s" className={SIZE} onClick={go}>
      {children}
    </Button>
  )
}

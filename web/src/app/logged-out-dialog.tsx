import { LogOut } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import { dismissLogoutNotice, type LogoutNotice, readLogoutNotice } from '@/lib/session/logout-notice'
import { isAuthenticated } from '@/lib/session/tokens'

/** A notice from before the current login is outdated. */
function currentNotice(): LogoutNotice | null {
  if (isAuthenticated()) dismissLogoutNotice()
  return readLogoutNotice()
}

/** Covers the page after a forced logout, which always reloads it. */
export function LoggedOutDialog() {
  const [notice, setNotice] = useState(currentNotice)
  if (!notice) return null
  const dismiss = () => {
    dismissLogoutNotice()
    setNotice(null)
  }
  return <FullPage notice={notice} onOk={dismiss} />
}

function FullPage({ notice, onOk }: { notice: LogoutNotice; onOk: () => void }) {
  const { t } = useT()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onOk}
      className="m-0 grid h-dvh max-h-none w-screen max-w-none place-content-center justify-items-center gap-4 bg-bg p-6 text-center text-text"
    >
      <span className="grid size-16 place-items-center rounded-full bg-surface-2 text-muted">
        <LogOut aria-hidden className="size-7" />
      </span>
      <h2 id={`${id}-title`} className="text-7xl leading-tight font-semibold tracking-tight">
        {t('logged_out.title')}
      </h2>
      <p id={`${id}-text`} className="max-w-md text-xl text-balance text-muted">
        {t(`logged_out.${notice}`)}
      </p>
      <Button size="l" autoFocus onClick={() => dialog.current?.close()} className="mt-2 min-w-40">
        {t('logged_out.ok')}
      </Button>
    </dialog>
  )
}

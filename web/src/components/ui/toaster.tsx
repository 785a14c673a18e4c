import { useEffect, useState } from 'react'
import { Toaster as Sonner, toast } from 'sonner'
import { NOTIFICATION_TIMEOUT } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'
import { useNotifications } from '@/lib/notify'
import { useTheme } from '@/lib/theme'

/** Delay until screen readers have registered the live region; an earlier message is not announced. In ms. */
const LIVE_REGION_DELAY_MS = 150

/** Renders the notifications of lib/notify. The app mounts it with the first one. */
export function Toaster() {
  const { t } = useT()
  const theme = useTheme((state) => state.theme)
  const waiting = useNotifications((state) => state.waiting)
  const [noticed, setNoticed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setNoticed(true), LIVE_REGION_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (!noticed || waiting.length === 0) return
    useNotifications.setState({ waiting: [] })
    for (const { kind, text, description, duration } of waiting) toast[kind](text, { description, duration })
  }, [noticed, waiting])
  return (
    <Sonner
      theme={theme}
      position="top-right"
      duration={NOTIFICATION_TIMEOUT}
      containerAriaLabel={t('ui.notifications')}
      closeButton
      toastOptions={{
        closeButtonAriaLabel: t('ui.close'),
        classNames: {
          toast: '!bg-surface !border-line !text-text !rounded-xl !font-sans !text-sm',
          description: '!text-muted',
          success: '[&_[data-icon]]:!text-ok',
          info: '[&_[data-icon]]:!text-grid-text',
          warning: '[&_[data-icon]]:!text-warn',
          error: '[&_[data-icon]]:!text-danger',
        },
      }}
    />
  )
}

import { Toaster as Sonner } from 'sonner'
import { NOTIFICATION_TIMEOUT } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'
import { useTheme } from '@/lib/theme'

/** Where the notifications of lib/notify appear. Mounted once, by the app. */
export function Toaster() {
  const { t } = useT()
  const theme = useTheme((state) => state.theme)
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
          toast: '!bg-surface !border-line !text-text !rounded-xl !font-sans',
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

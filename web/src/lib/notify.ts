import { toast } from 'sonner'
import { NOTIFICATION_TIMEOUT, TOAST_TIMEOUT } from './constants'

type Options = { description?: string; duration?: number }

const show =
  (kind: 'success' | 'info' | 'warning' | 'error') =>
  (text: string, { description, duration = NOTIFICATION_TIMEOUT }: Options = {}) =>
    void toast[kind](text, { description, duration })

/** Notifications, top right (see components/ui/toaster). Never called by the API client: a page decides what to say. */
export const notify = {
  success: show('success'),
  info: show('info'),
  warning: show('warning'),
  error: show('error'),
  /** For something the person has just done and only wants confirmed, such as "copied". */
  toast: (text: string) => show('success')(text, { duration: TOAST_TIMEOUT }),
}

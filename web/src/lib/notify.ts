import { create } from 'zustand'
import { NOTIFICATION_TIMEOUT, TOAST_TIMEOUT } from './constants'

type Kind = 'success' | 'info' | 'warning' | 'error'
type Options = { description?: string; duration?: number }
export type Notification = Options & { kind: Kind; text: string; duration: number }

/** What waits to be shown. The toaster, which takes it from here, is loaded only when there is something. */
export const useNotifications = create<{ waiting: Notification[] }>()(() => ({ waiting: [] }))

const show =
  (kind: Kind) =>
  (text: string, { description, duration = NOTIFICATION_TIMEOUT }: Options = {}) =>
    useNotifications.setState(({ waiting }) => ({
      waiting: [...waiting, { kind, text, description, duration }],
    }))

/** Notifications, top right (see components/ui/toaster). Never called by the API client: a page decides what to say. */
export const notify = {
  success: show('success'),
  info: show('info'),
  warning: show('warning'),
  error: show('error'),
  /** For something the person has just done and only wants confirmed, such as "copied". */
  toast: (text: string) => show('success')(text, { duration: TOAST_TIMEOUT }),
}

import { create } from 'zustand'
import { NOTIFICATION_TIMEOUT, TOAST_TIMEOUT } from './constants'

type Kind = 'success' | 'info' | 'warning' | 'error'
type Options = { description?: string; duration?: number }
export type Notification = Options & { kind: Kind; text: string; duration: number }

/** Notifications that wait for the toaster, which is loaded with the first one. */
export const useNotifications = create<{ waiting: Notification[] }>()(() => ({ waiting: [] }))

const show =
  (kind: Kind) =>
  (text: string, { description, duration = NOTIFICATION_TIMEOUT }: Options = {}) =>
    useNotifications.setState(({ waiting }) => ({
      waiting: [...waiting, { kind, text, description, duration }],
    }))

/**
 * Shows notifications, top right (see components/ui/toaster). The API client never calls it: pages decide.
 */
export const notify = {
  success: show('success'),
  info: show('info'),
  warning: show('warning'),
  error: show('error'),
  /** A short confirmation, such as "copied". */
  toast: (text: string) => show('success')(text, { duration: TOAST_TIMEOUT }),
}

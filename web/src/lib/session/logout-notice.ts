/** The reason of a forced logout, stored across the reload for the 'Logged Out' dialog. */
import { STORAGE } from '../storage-keys'

const NOTICES = ['session_ended', 'no_systems', 'refresh_reply'] as const
export type LogoutNotice = (typeof NOTICES)[number]

export function readLogoutNotice(): LogoutNotice | null {
  const stored = localStorage.getItem(STORAGE.logoutNotification)
  return NOTICES.find((notice) => notice === stored) ?? null
}

export const leaveLogoutNotice = (notice: LogoutNotice) =>
  localStorage.setItem(STORAGE.logoutNotification, notice)

export const dismissLogoutNotice = () => localStorage.removeItem(STORAGE.logoutNotification)

/** A notice for the login page, shown once: what was just completed, and for which role. */
import { isRole, type Role } from './tokens'

const KEY = 'loginNotice'
const NOTICES = ['account_ready', 'password_reset', 'account_deleted', 'logged_out_everywhere'] as const
export type LoginNotice = (typeof NOTICES)[number]

export const leaveLoginNotice = (notice: LoginNotice, role: Role = 'user') =>
  sessionStorage.setItem(KEY, `${notice} ${role}`)

export function readLoginNotice(): { notice: LoginNotice; role: Role } | null {
  const [stored, role] = (sessionStorage.getItem(KEY) ?? '').split(' ')
  const notice = NOTICES.find((known) => known === stored)
  return notice ? { notice, role: isRole(role) ? role : 'user' } : null
}

export const dismissLoginNotice = () => sessionStorage.removeItem(KEY)

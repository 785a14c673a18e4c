/** The start page and settings of each role. */
import type { Role } from './tokens'

export const dashboardOf = (role: Role) => (role === 'electrician' ? '/electrician-dashboard' : '/dashboard')

export const settingsOf = (role: Role) => (role === 'electrician' ? '/electrician-settings' : '/settings')

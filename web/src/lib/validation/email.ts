import type { Finding } from './codes'

const LOCAL_PART_MAX = 64
/** Atoms joined by single dots. Quoted parts and comments are legal, but not used in practice. */
const LOCAL_PART = /^[^\s@."(),:;<>[\]\\]+(\.[^\s@."(),:;<>[\]\\]+)*$/u
/** At least two labels of letters, digits and inner hyphens, in any script. */
const DOMAIN =
  /^([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])$/u

export function checkEmail(value: string): Finding {
  const email = value.trim()
  if (email === '') return 'required'
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  const valid =
    at > 0 && local.length <= LOCAL_PART_MAX && LOCAL_PART.test(local) && DOMAIN.test(email.slice(at + 1))
  return valid ? null : 'email_invalid'
}

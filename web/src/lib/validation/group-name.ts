import { GROUP_NAME_MAX } from '../constants'
import type { Finding } from './codes'

/** The server checks whether the account already has a group of that name. */
export function checkGroupName(name: string): Finding {
  const trimmed = name.trim()
  if (trimmed === '') return 'required'
  return [...trimmed].length > GROUP_NAME_MAX ? 'too_long' : null
}

/** Encodes form bodies: booleans as `true` and `false`, undefined values are left out. */
export const FORM_TYPE = 'application/x-www-form-urlencoded'

export function toForm(fields: object): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null) form.set(name, String(value))
  }
  return form
}

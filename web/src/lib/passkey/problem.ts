/** Why the browser gave no passkey: nobody chose one, the device has one already, or there can be none here. */
export type PasskeyFailure = 'cancelled' | 'exists' | 'unavailable'

export class PasskeyProblem extends Error {
  override readonly name = 'PasskeyProblem'

  constructor(
    readonly failure: PasskeyFailure,
    options?: ErrorOptions,
  ) {
    super(failure, options)
  }
}

/** Whether this browser knows passkeys. Whether the portal's address allows them, the server says. */
export const knowsPasskeys = () => 'PublicKeyCredential' in globalThis

/** Why there is no passkey: cancelled, already on the device, or unavailable here. */
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

/** Whether this browser supports passkeys. The server decides whether its address allows them. */
export const knowsPasskeys = () => 'PublicKeyCredential' in globalThis

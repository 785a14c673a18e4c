/** The device's position from the browser, rounded before it is sent. */

/** About one kilometre, the precision that the server stores. */
const DECIMALS = 2

export type Position = { latitude: number; longitude: number }
/** `refused` by the person or the browser's settings; `unknown` to the device. */
export type PositionError = 'refused' | 'unknown'

const rounded = (degrees: number) => Math.round(degrees * 10 ** DECIMALS) / 10 ** DECIMALS

/** Rejects with a `PositionError`. There is no timeout while the browser asks for permission. */
export const requestPosition = () =>
  new Promise<Position>((resolve, reject: (error: PositionError) => void) => {
    const { geolocation } = navigator
    // Browsers offer geolocation only on pages with TLS.
    if (!geolocation) return reject('refused')
    geolocation.getCurrentPosition(
      ({ coords }) => resolve({ latitude: rounded(coords.latitude), longitude: rounded(coords.longitude) }),
      ({ code, PERMISSION_DENIED }) => reject(code === PERMISSION_DENIED ? 'refused' : 'unknown'),
      { enableHighAccuracy: false, timeout: 15_000, maximumAge: 600_000 },
    )
  })

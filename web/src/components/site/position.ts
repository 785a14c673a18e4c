/** Where this device is, from the browser: rounded before anybody else sees it. */

/** About a kilometre, as the server keeps it. */
const DECIMALS = 2

export type Position = { latitude: number; longitude: number }
/** The person or the browser's settings do not allow it; or the device does not know. */
export type PositionTrouble = 'refused' | 'unknown'

const rounded = (degrees: number) => Math.round(degrees * 10 ** DECIMALS) / 10 ** DECIMALS

/** Rejects with a `PositionTrouble`. While the browser asks for permission no time runs out. */
export const askPosition = () =>
  new Promise<Position>((resolve, reject: (trouble: PositionTrouble) => void) => {
    const { geolocation } = navigator
    // Browsers have it only on pages with TLS.
    if (!geolocation) return reject('refused')
    geolocation.getCurrentPosition(
      ({ coords }) => resolve({ latitude: rounded(coords.latitude), longitude: rounded(coords.longitude) }),
      ({ code, PERMISSION_DENIED }) => reject(code === PERMISSION_DENIED ? 'refused' : 'unknown'),
      { enableHighAccuracy: false, timeout: 15_000, maximumAge: 600_000 },
    )
  })

/** Longer sides are made this long, in pixels: enough to read a type plate, and quick to send from a cellar. */
const MAX_SIDE = 1_600
const QUALITY = 0.8

/** How large a picture becomes. */
export function fitted(width: number, height: number) {
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The photo as a small, upright JPEG. Fails for what the browser cannot show. */
export async function shrink(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' })
  const { width, height } = fitted(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  canvas.getContext('2d')?.drawImage(picture, 0, 0, width, height)
  picture.close()
  return new Promise((resolve, reject) =>
    canvas.toBlob((jpeg) => (jpeg ? resolve(jpeg) : reject(new Error('no picture'))), 'image/jpeg', QUALITY),
  )
}

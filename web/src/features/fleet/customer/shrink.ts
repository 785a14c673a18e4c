/** The maximum side length in pixels: enough to read a type plate, and quick to upload. */
const MAX_SIDE = 1_600
const QUALITY = 0.8

/** The size of a picture within the limit. */
export function fitted(width: number, height: number) {
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Converts a photo to a small, upright JPEG. Fails if the browser cannot decode it. */
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

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Debian's Chromium without a window, which takes two thirds of the work for the same pages, or else the whole one; or the one that
 * CHROMIUM names. Found the way a shell would; undefined where there is none.
 */
export function findChromium(): string | undefined {
  const names = process.env.CHROMIUM ? [process.env.CHROMIUM] : ['chromium-headless-shell', 'chromium']
  return names.map(find).find(Boolean)
}

function find(name: string): string | undefined {
  if (name.includes('/')) return name
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return candidates.find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Debian's Chromium without a window, which takes two thirds of the work for the same pages, or else the whole one; or the one that
 * CHROMIUM names. Undefined where there is none.
 */
export function findChromium(): string | undefined {
  const names = process.env.CHROMIUM ? [process.env.CHROMIUM] : ['chromium-headless-shell', 'chromium']
  return names.map(findProgram).find(Boolean)
}

/** Where a shell would find a program; undefined where it would not. */
export function findProgram(name: string): string | undefined {
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

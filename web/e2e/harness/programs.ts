import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Debian's headless Chromium, which needs two thirds of the CPU, otherwise the full one; CHROMIUM overrides
 * both. Undefined if there is none.
 */
export function findChromium(): string | undefined {
  const names = process.env.CHROMIUM ? [process.env.CHROMIUM] : ['chromium-headless-shell', 'chromium']
  return names.map(findProgram).find(Boolean)
}

/** The path of a program as a shell finds it; undefined if there is none. */
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

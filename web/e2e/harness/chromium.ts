import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's Chromium (or the one that CHROMIUM names), found the way a shell would; undefined where there is none. */
export function findChromium(): string | undefined {
  const name = process.env.CHROMIUM ?? 'chromium'
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

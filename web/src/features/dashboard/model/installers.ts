/** The electricians of an owner's systems, each once. */
import type { Installer } from '@/lib/data/grants'

export function installersOf(systems: readonly { installer?: Installer | null }[]): Installer[] {
  const known = new Map<string, Installer>()
  for (const { installer } of systems) {
    if (!installer) continue
    const other = known.get(installer.email)
    // Of several grants the earliest end counts.
    if (!other || endOf(installer) < endOf(other)) known.set(installer.email, installer)
  }
  return [...known.values()]
}

const endOf = ({ until }: Installer) => until ?? Number.POSITIVE_INFINITY

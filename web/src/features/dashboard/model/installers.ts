/** The electricians whom an owner can call, each once, however many systems they look after. */
import type { Installer } from '@/lib/api/grants'

export function installersOf(systems: readonly { installer?: Installer | null }[]): Installer[] {
  const known = new Map<string, Installer>()
  for (const { installer } of systems) {
    if (!installer) continue
    const other = known.get(installer.email)
    // At several systems with several ends: the earliest one is what the owner has to think of.
    if (!other || endOf(installer) < endOf(other)) known.set(installer.email, installer)
  }
  return [...known.values()]
}

const endOf = ({ until }: Installer) => until ?? Number.POSITIVE_INFINITY

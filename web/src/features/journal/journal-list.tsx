import {
  BatteryCharging,
  Building2,
  CloudDownload,
  type LucideIcon,
  SlidersHorizontal,
  Terminal,
  UserRound,
  UsersRound,
} from 'lucide-react'
import type { components } from '@/lib/api/schema'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { siteTimeOf } from '@/lib/site-day'
import { KINDS, type Kind } from './model'

type Line = components['schemas']['JournalLine']

const ICON: Record<Kind, LucideIcon> = {
  settings: SlidersHorizontal,
  command: Terminal,
  update: CloudDownload,
  battery: BatteryCharging,
  access: UsersRound,
  account: UserRound,
  operator: Building2,
}

const kindOf = (name: string): Kind => KINDS.find((kind) => kind === name) ?? 'account'

export function JournalList({ lines }: { lines: readonly Line[] }) {
  return (
    <ol className="divide-y divide-line">
      {lines.map((line) => (
        <JournalRow key={line.id} line={line} />
      ))}
    </ol>
  )
}

function JournalRow({ line: { time, sn, kind: name, who, text } }: { line: Line }) {
  const { t, locale } = useT()
  const kind = kindOf(name)
  const Icon = ICON[kind]
  // Already in the site's local time.
  const at = siteTimeOf(time)
  return (
    <li className="flex gap-3 py-3 text-md">
      <Icon aria-hidden className="mt-0.5 size-4.5 shrink-0 text-muted" />
      <div className="min-w-0">
        <p className="wrap-anywhere">{text}</p>
        <p className="num mt-0.5 flex flex-wrap gap-x-2 text-sm text-muted">
          <time>{at === null ? time : formatDateTime(at, { locale, timeZone: 'UTC' })}</time>
          <span>· {who}</span>
          {sn && <span>· {sn}</span>}
          <span>· {t(`journal.kind.${kind}`)}</span>
        </p>
      </div>
    </li>
  )
}

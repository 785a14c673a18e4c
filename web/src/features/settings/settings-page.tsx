import { Link, useLocation, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { PageHeading } from '@/components/ui/page-heading'
import { readFragment } from '@/lib/fragment'
import { useT } from '@/lib/i18n/use-t'
import { PARTS, type Part, readPart } from './model/part'

type Props = {
  /** The parts that this person has, rendered on demand. The first one is the default. */
  parts: Partial<Record<Part, () => ReactNode>>
}

/** The settings of an owner or electrician: one part at a time, with its own address. */
export function SettingsPage({ parts }: Props) {
  const { t } = useT()
  const known = PARTS.filter((part) => parts[part])
  const [first = 'account'] = known
  // Mailed links have their secret in the fragment; new e-mail addresses and keys belong to the account.
  const [mailed] = useState(() => readFragment('email') !== null || readFragment('key') !== null)
  const fragment = useLocation({ select: ({ hash }) => hash })
  const otherwise = readPart(mailed ? 'account' : fragment, first, known)
  const open = useSearch({
    strict: false,
    select: ({ part }: { part?: unknown }) => readPart(part, otherwise, known),
  })
  return (
    <>
      <PageHeading>{t('nav.settings')}</PageHeading>
      <nav aria-label={t('settings.parts')} className="mb-5 border-b border-line">
        <ul className="-mb-px flex flex-wrap gap-x-1">
          {known.map((part) => (
            <li key={part}>
              <Link
                to="."
                search={{ part }}
                aria-current={part === open ? 'page' : undefined}
                className="flex min-h-11 items-center rounded-t-lg border-b-2 border-transparent px-3 py-2 text-md font-medium text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text"
              >
                {t(`settings.part.${part}`)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div key={open}>{parts[open]?.()}</div>
    </>
  )
}

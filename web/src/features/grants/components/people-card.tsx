import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import type { System } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import type { SiteDay } from '@/lib/site-day'
import { nameOf, type Person } from '../model'
import { Contact } from './contact'
import { GivenGrantRow } from './given-grant-row'
import { InviteDialog } from './invite-dialog'

type Props = {
  to: 'electrician' | 'user'
  people: readonly Person[]
  /** Systems to which the person may give this kind of access. */
  systems: readonly System[]
  today: SiteDay
}

/** Electricians or household members with their access, and an invitation form. */
export function PeopleCard({ to, people, systems, today }: Props) {
  const { t } = useT()
  const [invitation, setInvitation] = useState({ number: 0, open: false })
  const kind = to === 'user' ? 'household' : 'electricians'
  return (
    <Card
      title={t(`grants.${kind}`)}
      action={
        <Button
          variant="outline"
          size="s"
          disabled={systems.length === 0}
          onClick={() => setInvitation(({ number }) => ({ number: number + 1, open: true }))}
        >
          <UserPlus aria-hidden className="size-4" />
          {t(`grants.${kind}.invite`)}
        </Button>
      }
    >
      <p className="mb-4 text-md text-muted">{t(`grants.${kind}.text`)}</p>
      {people.length === 0 ? (
        <p className="text-md">{t(`grants.${kind}.none`)}</p>
      ) : (
        <ul className="divide-y divide-line">
          {people.map((person) => (
            <li key={person.email} className="py-3 first:pt-0 last:pb-0">
              <p className="mb-0.5 font-medium wrap-anywhere">{nameOf(person)}</p>
              <Contact {...person} />
              {person.grants.map((grant) => (
                <GivenGrantRow key={grant.id} grant={grant} today={today} />
              ))}
            </li>
          ))}
        </ul>
      )}
      {invitation.number > 0 && (
        <InviteDialog
          key={invitation.number}
          open={invitation.open}
          to={to}
          systems={systems}
          today={today}
          onClose={() => setInvitation((before) => ({ ...before, open: false }))}
        />
      )}
    </Card>
  )
}

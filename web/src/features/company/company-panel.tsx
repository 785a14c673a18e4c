import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Answer } from '@/components/ui/answer'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useT } from '@/lib/i18n/use-t'
import { type Company, companyQuery } from './data'
import { InvitationRow } from './invitation-row'
import { MemberDialog } from './member-dialog'
import { MemberRow } from './member-row'

/** Members and invitations of the company. Visible to its owners only. */
export function CompanyPanel() {
  return (
    <Answer query={useQuery(companyQuery)} waiting={<Skeleton className="h-64" />}>
      {(company) => <Cards company={company} />}
    </Answer>
  )
}

function Cards({ company: { name, members, invitations } }: { company: Company }) {
  const { t } = useT()
  const [dialog, setDialog] = useState({ number: 0, open: false })
  const owners = members.filter(({ role }) => role === 'owner')
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
      <Card
        title={name}
        description={t('company.text')}
        action={
          <Button
            variant="outline"
            size="s"
            onClick={() => setDialog(({ number }) => ({ number: number + 1, open: true }))}
          >
            <UserPlus aria-hidden className="size-4" />
            {t('company.invite')}
          </Button>
        }
      >
        <ul className="divide-y divide-line">
          {members.map((member) => (
            <MemberRow
              key={member.id}
              member={member}
              stays={member.role === 'owner' && owners.length === 1}
            />
          ))}
        </ul>
      </Card>
      <Card title={t('company.invited')} description={t('company.invited.text')}>
        {invitations.length === 0 ? (
          <p className="text-md text-muted">{t('company.invited.none')}</p>
        ) : (
          <ul className="divide-y divide-line">
            {invitations.map((invitation) => (
              <InvitationRow key={invitation.id} invitation={invitation} />
            ))}
          </ul>
        )}
      </Card>
      {dialog.number > 0 && (
        <MemberDialog
          key={dialog.number}
          open={dialog.open}
          onClose={() => setDialog((before) => ({ ...before, open: false }))}
        />
      )}
    </div>
  )
}

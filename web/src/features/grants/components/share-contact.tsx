import { useQuery } from '@tanstack/react-query'
import { Checkbox } from '@/components/ui/checkbox'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { isOwn } from '../model'

type Props = {
  /** Serial numbers, separated by commas. */
  sn: string
  checked: boolean
  onChange: (name: 'contact', checked: boolean) => void
}

/** Whether the electrician may read the owner's phone number and address. Only the owner may decide that. */
export function ShareContact({ sn, checked, onChange }: Props) {
  const { t } = useT()
  const { data: systems = [] } = useQuery(systemsQuery)
  const own = systems.filter(isOwn).map((system) => system.sn)
  const serials = sn.split(',').map((one) => one.trim())
  if (!serials.every((one) => own.includes(one))) return null
  return (
    <Checkbox
      label={t('grants.contact')}
      checked={checked}
      onChange={({ target }) => onChange('contact', target.checked)}
    />
  )
}

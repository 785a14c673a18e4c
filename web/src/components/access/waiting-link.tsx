import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode, Ref } from 'react'
import type { Waiting } from './use-waiting'

type Props = Omit<ComponentProps<'a'>, 'href'> & {
  waiting: Waiting
  ref?: Ref<HTMLAnchorElement>
  children: ReactNode
}

/** The way to where it is done. */
export function WaitingLink({ waiting: { kind, serials }, ...link }: Props) {
  const [sn] = serials
  if (kind === 'invitations' || kind === 'ending')
    return <Link to="/electrician-settings" hash="grants" {...link} />
  if (kind === 'commissionings' && sn !== undefined && serials.length === 1)
    return <Link to="/electrician-dashboard/$sn/commissioning" params={{ sn }} {...link} />
  return (
    <Link
      to="/electrician-dashboard"
      search={{ show: kind === 'switch' ? 'switch' : 'commissioning' }}
      {...link}
    />
  )
}

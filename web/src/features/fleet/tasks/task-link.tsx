import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode, Ref } from 'react'
import type { Task } from './use-tasks'

type Props = Omit<ComponentProps<'a'>, 'href'> & {
  task: Task
  ref?: Ref<HTMLAnchorElement>
  children: ReactNode
}

/** Links to the page where the task is done. */
export function TaskLink({ task: { kind, serials }, ...link }: Props) {
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

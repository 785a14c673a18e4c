import { useQuery } from '@tanstack/react-query'
import { ProtocolsCard } from '@/features/commissioning/protocols-card'
import { systemsQuery } from '@/lib/data/systems'

/** The protocols of the household's systems. */
export function OwnProtocols() {
  const { data: systems } = useQuery(systemsQuery)
  return <ProtocolsCard serials={(systems ?? []).map(({ sn }) => sn)} />
}

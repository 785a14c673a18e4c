/** The menu parts and the bell's items, loaded together. */
// biome-ignore lint/performance/noBarrelFile: loaded on demand, and only as a whole
export * from '@/components/ui/dropdown-menu'
export { BellItems } from './bell-items'

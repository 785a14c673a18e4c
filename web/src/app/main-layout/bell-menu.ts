/** What the bell opens: a menu and its items, loaded together. */
// biome-ignore lint/performance/noBarrelFile: loaded on demand, and only as a whole
export * from '@/components/ui/dropdown-menu'
export { BellItems } from './bell-items'

import type { JournalFilter } from '@/features/journal/model'
import type { Part } from '@/features/settings/model/part'

export type SettingsSearch = JournalFilter & { part?: Part }

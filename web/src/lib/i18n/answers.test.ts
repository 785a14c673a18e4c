import { describe, expect, it } from 'vitest'
import de from '@/locales/de.json'
import en from '@/locales/en.json'
import fr from '@/locales/fr.json'
import hr from '@/locales/hr.json'
import pl from '@/locales/pl.json'

/** Confirming answers of dialogs, beside `ui.no`. */
const DEEDS = [
  'account.partners.end',
  'account.unlink',
  'batch.template.delete',
  'batch.undo',
  'commissioning.drop.confirm',
  'grants.end',
  'grants.give_up',
  'grants.handover.withdraw',
  'grants.withdraw',
  'groups.delete',
  'in_force.withdraw',
] as const

const words = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? []

describe('the answers of a dialog', () => {
  it.each(Object.entries({ de, en, pl, fr, hr }))('have no word in common: %s', (_, texts) => {
    const no = words(texts['ui.no'])
    for (const deed of DEEDS) expect(words(texts[deed]).filter((word) => no.includes(word))).toEqual([])
  })
})

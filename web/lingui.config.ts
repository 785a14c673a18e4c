import { formatter } from '@lingui/format-json'

export default {
  sourceLocale: 'de',
  locales: ['de', 'en', 'pl', 'fr', 'hr'],
  catalogs: [{ path: 'src/locales/{locale}', include: ['src'] }],
  format: formatter({ style: 'minimal' }),
}

import type { Finding } from './codes'

export const checkTerms = (agreed: boolean): Finding => (agreed ? null : 'terms_required')

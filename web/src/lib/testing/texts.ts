import { beforeAll } from 'vitest'
import { openTexts, TEXT_PARTS } from '../i18n/i18n'

// What is tested is tested without the page that would load its texts.
beforeAll(() => Promise.all(TEXT_PARTS.map(openTexts)))

import { beforeAll } from 'vitest'
import { openTexts, TEXT_PARTS } from '../i18n/i18n'

// Loads all texts, because components are tested without the pages that load them.
beforeAll(() => Promise.all(TEXT_PARTS.map(openTexts)))

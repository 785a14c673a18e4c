import { existsSync } from 'node:fs'
import { findChromium } from './programs.ts'
import { BINARY } from './server.ts'

/** The preconditions of the tests, each with a message. */
// biome-ignore lint/style/noDefaultExport: Playwright calls the default export
export default function checkPreconditions() {
  if (!existsSync(BINARY)) stop(`The browser tests need ${BINARY}: run "make build" first.`)
  if (!findChromium()) stop('The browser tests need Chromium on the PATH: run "scripts/install-tools" first.')
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

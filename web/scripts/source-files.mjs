import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

export const SRC = new URL('../src', import.meta.url).pathname

/** Every TypeScript file of src as `{path, text}`, the path relative to src. */
export async function sourceFiles() {
  const entries = await readdir(SRC, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  return Promise.all(
    files.map(async (file) => {
      const path = join(file.parentPath, file.name)
      return { path: relative(SRC, path), text: await readFile(path, 'utf8') }
    }),
  )
}

/** Prints the problems, and fails if there are any. */
export function report(problems, success) {
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
  console.log(success)
}

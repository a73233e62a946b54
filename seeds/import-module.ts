/** Code of a user, TypeScript or JavaScript, which runs in this process. Whether it may be run is to be asked before. Contract 12.4. */
import { resolve } from 'node:path'

/** What a module exports as its default; its file is read anew each time. @throws whatever it throws as it is run */
export async function importModule(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  // Its cache would be in the folder for temporary files, where other users could put code into it.
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false })
  return jiti.import(resolve(file), { default: true })
}

/** Why code of a user failed, in the first line of its own words, without a full stop. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return (text.split('\n')[0] ?? '').replace(/[.\s]+$/, '')
}

/** Runs user code, TypeScript or JavaScript, in this process. Callers must ask for permission first. Contract 12.4. */
import { resolve } from 'node:path'

/** Loads the default export of a module, without a cache. @throws errors of the module */
export async function importModule(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  // Disables the cache in the temporary folder, where other users could inject code.
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false })
  return jiti.import(resolve(file), { default: true })
}

/** Returns the first line of an error message of user code, without a full stop. */
export function readReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return (text.split('\n')[0] ?? '').replace(/[.\s]+$/, '')
}

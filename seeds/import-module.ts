/** Runs a user's TypeScript or JavaScript in this process. The caller must ask for permission first. Contract 12.4. */
import { resolve } from 'node:path'

/**
 * Imports the default export and re-reads the file each time.
 *
 * @throws the error from the module
 */
export async function importModule(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  // Disables jiti's cache, which lies in the temporary folder, where other users could plant code.
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false })
  return jiti.import(resolve(file), { default: true })
}

/** Returns the first line of a user's error, without a full stop. */
export function describeReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return (text.split('\n')[0] ?? '').replace(/[.\s]+$/, '')
}

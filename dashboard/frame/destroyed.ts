/** Finds the project whose data a request destroys. The control API reaches every project, not only the one shown. */
import type { Client } from '../../client/index.js'
import { isMissing } from '../parts/states.js'

const projectPattern = /^\/_svc\/api\/projects\/([^/]+)\//
const snapshotPattern = /^\/_svc\/api\/projects\/[^/]+\/snapshots\/([^/]+)\/load\/*$/
const userPattern = /^\/_svc\/api\/users\/([^/]+)\/*$/

/** Returns the project id, or undefined for a user of another project, because no operation tells which project that is. */
export async function findDestroyedProject(owner: Client, caller: string, path: string): Promise<string | undefined> {
  const [pathname = ''] = path.split('?')
  const named = projectPattern.exec(pathname)?.[1]
  if (named !== undefined) return decode(named)
  const user = userPattern.exec(pathname)?.[1]
  if (user === undefined) return caller
  return owner.users.get(decode(user)).then(
    () => caller,
    (error) => {
      if (isMissing(error)) return undefined
      throw error
    },
  )
}

/** Returns the name of the snapshot that the request loads. */
export function findLoadedSnapshot(path: string): string | undefined {
  const [pathname = ''] = path.split('?')
  const name = snapshotPattern.exec(pathname)?.[1]
  return name === undefined ? undefined : decode(name)
}

/** Returns malformed text as it is, because the service refuses it anyway. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds the project whose data a request destroys. The control API reaches every project, not only the one shown. */
import type { Client } from '../../client/index.js'
import { isMissing } from '../parts/states.js'

const ofProject = /^\/_svc\/api\/projects\/([^/]+)\//
const ofSnapshot = /^\/_svc\/api\/projects\/[^/]+\/snapshots\/([^/]+)\/load\/*$/
const ofUser = /^\/_svc\/api\/users\/([^/]+)\/*$/

/** Returns the project id, or undefined for a user of another project, because no operation tells which project that is. */
export async function projectDestroyed(owner: Client, caller: string, path: string): Promise<string | undefined> {
  const [place = ''] = path.split('?')
  const named = ofProject.exec(place)?.[1]
  if (named !== undefined) return decoded(named)
  const user = ofUser.exec(place)?.[1]
  if (user === undefined) return caller
  return owner.users.get(decoded(user)).then(
    () => caller,
    (error) => {
      if (isMissing(error)) return undefined
      throw error
    },
  )
}

/** Returns the name of the snapshot that the request loads. */
export function snapshotLoaded(path: string): string | undefined {
  const [place = ''] = path.split('?')
  const name = ofSnapshot.exec(place)?.[1]
  return name === undefined ? undefined : decoded(name)
}

/** Returns malformed text as it is, because the service refuses it anyway. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

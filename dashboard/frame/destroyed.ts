/** Whose records a request destroys. A call of the control API reaches every project of the emulator, whichever the page shows. */
import type { Client } from '../../client/index.js'
import { isMissing } from '../parts/states.js'

const ofProject = /^\/_svc\/api\/projects\/([^/]+)\//
const ofSnapshot = /^\/_svc\/api\/projects\/[^/]+\/snapshots\/([^/]+)\/load\/*$/
const ofUser = /^\/_svc\/api\/users\/([^/]+)\/*$/

/** Id of the project; undefined for a user whom the caller's project does not have: no operation says whose that is. */
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

/** Name of the snapshot that the request loads. */
export function snapshotLoaded(path: string): string | undefined {
  const [place = ''] = path.split('?')
  const name = ofSnapshot.exec(place)?.[1]
  return name === undefined ? undefined : decoded(name)
}

/** The service refuses what cannot be decoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

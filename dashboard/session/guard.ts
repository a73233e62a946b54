/** Sends requests to one emulator. After a failure, checks that it is still the same one before it sends secrets. */
import { controlPath } from '../../client/protocol/control/operations.js'

export interface Guard {
  readonly fetch: typeof fetch
  /** For requests that do not use `fetch`. @throws if another emulator answers */
  check(): Promise<void>
  /** Makes the next request check first. */
  doubt(): void
}

/** The health check needs no database. A forwarded port may accept connections and never answer while the emulator is down. */
const maxMilliseconds = 10_000

/** Returns the id of the state folder that answers at this address. @throws like `fetch`, and if no emulator answers in time */
export async function folderHere(): Promise<string> {
  const signal = AbortSignal.timeout(maxMilliseconds)
  const answer = await fetch(`${controlPath}/health`, { cache: 'no-store', signal })
  const { folder } = (await answer.json()) as { folder?: string }
  if (!answer.ok || typeof folder !== 'string') throw new Error(`No emulator: ${answer.status}`)
  return folder
}

export function guardFor(folder: string, onOther: () => void): Guard {
  let isDoubtful = false

  async function check() {
    if (isDoubtful && (await folderHere()) !== folder) {
      onOther()
      throw new TypeError('Another emulator answers at this address.')
    }
    isDoubtful = false
  }

  return {
    check,
    doubt() {
      isDoubtful = true
    },
    async fetch(...request) {
      await check()
      try {
        return await fetch(...request)
      } catch (error) {
        isDoubtful = true
        throw error
      }
    },
  }
}

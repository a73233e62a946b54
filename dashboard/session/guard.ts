/** Requests to one emulator: after a failure it is asked who it is before anything secret is sent to it again. */
import { controlPath } from '../../client/protocol/control/operations.js'

export interface Guard {
  readonly fetch: typeof fetch
  /** For what sends by another way than `fetch`. @throws where another emulator answers */
  check(): Promise<void>
  /** The next request asks first. */
  doubt(): void
}

/** It is answered without the database. A forwarded port may accept connections and never answer while the emulator is down. */
const mostMilliseconds = 10_000

/** Which state folder answers here. @throws whatever `fetch` throws, and where no emulator answers in time */
export async function folderHere(): Promise<string> {
  const signal = AbortSignal.timeout(mostMilliseconds)
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

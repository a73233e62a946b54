/**
 * Room for the files of requests. Their bytes land before their rows count them: what is on its way is kept within what the project
 * may still store, so that no more lands than could be kept. Each process counts its own; the rows decide. Contract 10.12.
 */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'

/** What the files of one request may take. */
export interface UploadRoom {
  /** @throws {SvcError} `STORAGE_LIMIT` */
  take(bytes: number): void
  /** The request is over: what it took has a row, or is removed. */
  close(): void
}

export interface RoomLimits {
  /** What the project may still store. */
  readonly freeBytes: number
  /** What it may store in all. */
  readonly limitBytes: number
  /** The same for requests of which one only is carried out, whose files are kept once. */
  readonly scope?: string | undefined
}

/** All that is on its way in this process. */
export interface UploadRooms {
  open(project: string, limits: RoomLimits): UploadRoom
}

export function openUploadRooms(): UploadRooms {
  const landing = new Map<string, number>()
  return {
    open(project, { freeBytes, limitBytes, scope }) {
      const whole = JSON.stringify([project])
      const scoped = JSON.stringify([project, scope])
      const counted = scope === undefined ? [whole] : [whole, scoped]
      let own = 0
      const add = (bytes: number) => {
        own += bytes
        for (const name of counted) {
          const bytesNow = (landing.get(name) ?? 0) + bytes
          if (bytesNow > 0) landing.set(name, bytesNow)
          else landing.delete(name)
        }
      }
      return {
        take(bytes) {
          const all = (landing.get(whole) ?? 0) + bytes
          // What the same request brings another time takes no room beside it, as far as the tier goes.
          const twins = scope === undefined ? 0 : (landing.get(scoped) ?? 0) - own
          if (all - twins > freeBytes || all > limitBytes) throw noRoom(limitBytes)
          add(bytes)
        },
        close: () => add(-own),
      }
    },
  }
}

/** Files of any size: of the owner, and where the tier has no limit. */
export const endlessRoom: UploadRoom = Object.freeze({ take: () => undefined, close: () => undefined })

export function noRoom(most: number): SvcError {
  const reason: Reason = { kind: 'limit', limit: 'storage bytes', most, setting: 'tier' }
  return new SvcError('STORAGE_LIMIT', `The project's files take at most ${formatBytes(most)}.`, [], { reason })
}

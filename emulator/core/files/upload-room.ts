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

/** All that is on its way in this process. */
export interface UploadRooms {
  open(project: string, limits: { readonly freeBytes: number; readonly limitBytes: number }): UploadRoom
}

export function openUploadRooms(): UploadRooms {
  const landing = new Map<string, number>()
  return {
    open(project, { freeBytes, limitBytes }) {
      let own = 0
      return {
        take(bytes) {
          const all = (landing.get(project) ?? 0) + bytes
          if (all > freeBytes) throw noRoom(limitBytes)
          own += bytes
          landing.set(project, all)
        },
        close() {
          const others = (landing.get(project) ?? 0) - own
          own = 0
          if (others > 0) landing.set(project, others)
          else landing.delete(project)
        },
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

/**
 * Limits the bytes of uploads in progress. Bytes arrive before their rows count them, so this keeps them within what
 * the project may still store. Each process counts its own uploads; the rows decide. Contract 10.12.
 */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'

/** The bytes that the files of one request may take. */
export interface UploadRoom {
  /** @throws {SvcError} `STORAGE_LIMIT` */
  take(bytes: number): void
  /** Ends the request: its bytes now have a row or were removed. */
  close(): void
}

export interface RoomLimits {
  /** Bytes that the project may still store. */
  readonly freeBytes: number
  /** Total bytes that the project may store. */
  readonly limitBytes: number
  /** Shared by requests with the same idempotency key, because only one of them stores its files. */
  readonly scope?: string | undefined
}

/** All uploads in progress in this process. */
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
          // Counts a repeated request only once against the tier.
          const twins = scope === undefined ? 0 : (landing.get(scoped) ?? 0) - own
          if (all - twins > freeBytes || all > limitBytes) throw noRoom(limitBytes)
          add(bytes)
        },
        close: () => add(-own),
      }
    },
  }
}

/** Accepts files of any size, for the owner and for tiers without a limit. */
export const unlimitedRoom: UploadRoom = Object.freeze({ take: () => undefined, close: () => undefined })

export function noRoom(most: number): SvcError {
  const reason: Reason = { kind: 'limit', limit: 'storage bytes', most, setting: 'tier' }
  return new SvcError(
    'STORAGE_LIMIT',
    `Not enough storage: the project's files can take at most ${formatBytes(most)}.`,
    [],
    { reason },
  )
}

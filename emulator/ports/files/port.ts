/** The port to the storage of files. */
import type { Readable } from 'node:stream'

/** The first and the last byte, both included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** Kinds of storage failures. */
export type StorageErrorKind =
  /** No space left. */
  | 'full'
  /** No answer, or a temporary fault: a retry may succeed. */
  | 'unreachable'
  /** The keys are invalid or lack a permission. Only an operator can fix that. */
  | 'refused'
  | 'failed'

export class StorageError extends Error {
  override readonly name = 'StorageError'

  constructor(
    readonly kind: StorageErrorKind,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Some bytes could not be removed; all others are gone. */
export class BytesKept extends StorageError {
  constructor(
    readonly ids: readonly string[],
    message: string,
    cause?: unknown,
  ) {
    super('failed', message, cause)
  }
}

/** Returns the ids that could not be removed, for callers that go on with the rest. @throws any other error */
export async function keptBy(removal: Promise<void>): Promise<BytesKept | undefined> {
  try {
    await removal
    return undefined
  } catch (error) {
    if (error instanceof BytesKept) return error
    throw error
  }
}

/** Stores bytes by id. Knows nothing of names, owners or projects. */
export interface FileStore {
  /** The part of a file that a write buffers before sending, in bytes. Default: almost nothing. */
  readonly bufferedBytes?: number
  /** The number of files that can be read at once. Default: unlimited. */
  readonly maxReads?: number
  /**
   * Stores bytes as they arrive. All of them are stored once this resolves, and none if it rejects.
   * @throws {StorageError} or what `bytes` throws.
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Returns the bytes, or a range of them. Undefined if the id does not exist. */
  read(id: string, range?: ByteRange): Promise<Readable | undefined>
  /**
   * Removes the ids that exist. One that cannot be removed does not stop the others.
   * @throws {StorageError} `BytesKept` lists those that still exist; after any other error, each of them may.
   */
  remove(ids: readonly string[]): Promise<void>
  /** All ids in pages, unordered. */
  list(): AsyncIterable<readonly string[]>
  has(id: string): Promise<boolean>
  /** Whether the bytes are too old to get a row from a transaction that is still running. */
  isSettled(id: string): Promise<boolean>
  /** Removes leftovers of dead writes that `list` does not show. Omitted by stores that leave none. */
  removeAbandoned?(): Promise<void>
  close(): Promise<void>
}

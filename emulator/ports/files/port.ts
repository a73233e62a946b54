/** The port to where the bytes of files are. */
import type { Readable } from 'node:stream'

/** The first and the last byte, both included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** What a failure of the storage is. */
export type StorageErrorKind =
  /** There is no room for more bytes. */
  | 'full'
  /** It does not answer, or has a fault of its own: the same may succeed in a moment. */
  | 'unreachable'
  /** It refuses the keys, or what they may not do: it takes an operator to mend that. */
  | 'refused'
  /** Anything else. */
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

/** Some of the bytes that were to be removed could not be; all others are gone. */
export class BytesKept extends StorageError {
  constructor(
    readonly ids: readonly string[],
    message: string,
    cause?: unknown,
  ) {
    super('failed', message, cause)
  }
}

/** What a removal could not remove, for who goes on with the others. @throws whatever else it fails with */
export async function keptBy(removal: Promise<void>): Promise<BytesKept | undefined> {
  try {
    await removal
    return undefined
  } catch (error) {
    if (error instanceof BytesKept) return error
    throw error
  }
}

/** Bytes under ids. It knows nothing of names, owners or projects. */
export interface FileStore {
  /** How much of a file a write keeps in memory until it is sent on; left out, next to nothing. */
  readonly bufferedBytes?: number
  /** How many files may be read at once; left out, as many as anything else allows. */
  readonly mostReads?: number
  /**
   * Takes in bytes as they come. They are there, all of them, once this resolves, and not at all if it rejects.
   *
   * @throws {StorageError} or what `bytes` throws.
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** The bytes, or a part of them; nothing if there are none of that id. */
  read(id: string, range?: ByteRange): Promise<Readable | undefined>
  /**
   * Removes what is there of these ids. One that cannot be removed holds up no other.
   *
   * @throws {StorageError} `BytesKept` names those that are there still; after any other, each of them may be.
   */
  remove(ids: readonly string[]): Promise<void>
  /** All ids, some at a time, in no order. */
  list(): AsyncIterable<readonly string[]>
  has(id: string): Promise<boolean>
  /** Whether no transaction can be about to give these bytes a row any more. */
  isSettled(id: string): Promise<boolean>
  /** Removes what writes left that `list` does not have, since their process died; where it is left out, they leave none. */
  removeAbandoned?(): Promise<void>
  close(): Promise<void>
}

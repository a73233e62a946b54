/** Spec, "Stored file". Times are ISO 8601 UTC with milliseconds. */
export interface StoredFile {
  readonly id: string
  readonly name: string
  /** The folder it lies in, without slashes at its ends; empty at the top. */
  readonly path: string
  /** Its public address. */
  readonly url: string
  readonly size: number
  readonly mimeType: string
  readonly createdAt: string
}

/** A file as it is kept; its address is made where it is known. */
export type FileRecord = Omit<StoredFile, 'url'>

/** What a project's files take. Contract 8.1. */
export interface StorageUsage {
  readonly files: number
  readonly bytes: number
  /** `null` is unlimited. */
  readonly limitBytes: number | null
  readonly tier: string
}

/** Spec, "Stored file". Times are ISO 8601 UTC with milliseconds. */
export interface StoredFile {
  readonly id: string
  readonly name: string
  /** Folder, without leading or trailing slashes; empty for the root. */
  readonly path: string
  /** Public URL. */
  readonly url: string
  readonly size: number
  readonly mimeType: string
  readonly createdAt: string
}

/** A file in the database, without a URL, which depends on the request. */
export type FileRecord = Omit<StoredFile, 'url'>

/** Storage that a project uses. Contract 8.1. */
export interface StorageUsage {
  readonly files: number
  readonly bytes: number
  /** `null` is unlimited. */
  readonly limitBytes: number | null
  readonly tier: string
}

/** Why the service cannot start: what is the matter, and what the person who started it can do. Nothing was changed. */
export class StartError extends Error {
  override readonly name = 'StartError'

  constructor(
    readonly code:
      | 'ALREADY_RUNNING'
      | 'DATA_DAMAGED'
      | 'DATA_NEWER'
      | 'DATA_FOREIGN'
      | 'DISK_FULL'
      | 'FILES_UNREACHABLE'
      | 'FOLDER_NOT_WRITABLE'
      | 'NO_SUCH_HOST'
      | 'PORT_IN_USE'
      | 'DATABASE_UNREACHABLE'
      | 'DATABASE_TOO_OLD'
      | 'DATABASE_SETTINGS'
      | 'DATABASE_POOLED'
      | 'UNKNOWN_OPTION',
    message: string,
    readonly hint: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Explains why the service cannot start, and what to do about it. Nothing was changed. */
export class StartError extends Error {
  override readonly name = 'StartError'

  constructor(
    readonly code:
      | 'ADMIN_PORT_MISSING'
      | 'ALREADY_RUNNING'
      | 'DATABASE_LOCKED'
      | 'DATABASE_TOO_OLD'
      | 'DATABASE_UNREACHABLE'
      | 'DATA_DAMAGED'
      | 'DATA_FOREIGN'
      | 'DATA_NEWER'
      | 'DATA_OLDER'
      | 'DISK_FULL'
      | 'ENCODING'
      | 'FILES_UNREACHABLE'
      | 'FOLDER_NOT_WRITABLE'
      | 'NO_PACKAGE'
      | 'NO_RIGHTS'
      | 'NO_SUCH_HOST'
      | 'PORT_IN_USE'
      | 'DATABASE_POOLED'
      | 'DATABASE_SETTINGS'
      | 'PUBLIC_URL_INVALID'
      | 'PUBLIC_URL_MISSING'
      | 'SECRET_DIFFERENT'
      | 'SECRET_MISSING'
      | 'UNKNOWN_OPTION',
    message: string,
    readonly hint: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

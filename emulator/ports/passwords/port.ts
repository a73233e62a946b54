/**
 * The port to password hashing, which must never block the event loop. Checking and hashing have separate queues, so
 * that neither starves the other.
 */
export interface Hasher {
  /** @throws {SvcError} `UNAVAILABLE` if the queue is full */
  hash(password: string, owner: PasswordOwner): Promise<string>
  /** Compares a password with a hash. Without a hash it returns false after the same time. */
  matches(password: string, hash: string | null, owner: PasswordOwner): Promise<boolean>
  /** The length of the queues. */
  waiting(): number
  /** The hashing library. Loads it to find out. */
  library(): Promise<'@node-rs/bcrypt' | 'bcryptjs'>
  close(): Promise<void>
}

/**
 * The account of a password and the address of the request. Addresses take turns, and so do accounts within an address.
 */
export interface PasswordOwner {
  readonly address: string
  readonly account: string
}

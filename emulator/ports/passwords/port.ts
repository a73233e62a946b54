/**
 * The port to password hashing, which must never hold up the thread that answers requests. Checking passwords and hashing new
 * ones have a queue each, so that neither takes from the other.
 */
export interface Hasher {
  /** @throws {SvcError} `UNAVAILABLE` if too many wait already. */
  hash(password: string, owner: PasswordOwner): Promise<string>
  /** Whether a password is the one behind a hash. Without a hash it is not, and finding that out takes as long. */
  matches(password: string, hash: string | null, owner: PasswordOwner): Promise<boolean>
  /** How many questions wait for a thread. */
  waiting(): number
  /** What hashes. It is loaded for that. */
  library(): Promise<'@node-rs/bcrypt' | 'bcryptjs'>
  close(): Promise<void>
}

/** Whose password it is, and from where it is asked about. Addresses take turns, and within an address its accounts do. */
export interface PasswordOwner {
  readonly address: string
  readonly account: string
}

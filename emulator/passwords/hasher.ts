/** The port to password hashing, which must never hold up the thread that answers requests. */
export interface Hasher {
  /** @throws {SvcError} `UNAVAILABLE` if too many wait already. */
  hash(password: string): Promise<string>
  /** Whether a password is the one behind a hash. Without a hash it is not, and finding that out takes as long. */
  matches(password: string, hash: string | null): Promise<boolean>
  close(): Promise<void>
}

/**
 * The port to password hashing, which must never hold up the thread that answers requests. `owner` is whose password it
 * is: owners take turns. Checking passwords and hashing new ones have a queue each, so that neither takes from the other.
 */
export interface Hasher {
  /** @throws {SvcError} `UNAVAILABLE` if too many wait already. */
  hash(password: string, owner: string): Promise<string>
  /** Whether a password is the one behind a hash. Without a hash it is not, and finding that out takes as long. */
  matches(password: string, hash: string | null, owner: string): Promise<boolean>
  close(): Promise<void>
}

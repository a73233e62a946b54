/**
 * What a command prints for a secret that nobody asked it for: a terminal gets the secret, a file or a pipe gets other words. Logs of
 * CI and of supervisors are read by more people than a screen is. Decision 27.
 *
 * @param elsewhere where the secret is kept, or how to get one
 */
export function onlyOnTerminal(
  secret: string,
  elsewhere: string,
  { isTTY }: { readonly isTTY?: boolean } = process.stdout,
): string {
  return isTTY === true ? secret : elsewhere
}

/** An address as it may be shown anywhere: without the user name and password in it. */
export function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1…@')
}

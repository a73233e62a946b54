/**
 * Returns a secret for a terminal, and a replacement for a file or a pipe, because more people read the logs of CI and supervisors
 * than a screen. Only for secrets that were not asked for. Decision 27.
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

/** Removes the user name and password from an address. */
export function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1…@')
}

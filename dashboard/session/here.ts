/**
 * An address that the emulator tells, as this page reaches it: the emulator names its own machine, which in a browser on
 * another one is another machine, and this page may load nothing from an origin that is not its own.
 * @param own how the emulator names itself
 * @param here the origin of the page
 */
export function addressHere(address: string, own: string, here: string): string {
  const [, scheme = '', host, rest = ''] = /^(http|ws)s?:(\/\/[^/]+)(.*)$/s.exec(address) ?? []
  return host !== undefined && own.endsWith(`:${host}`) ? `${scheme}${here.slice('http'.length)}${rest}` : address
}

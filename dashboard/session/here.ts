/**
 * Rewrites an emulator address to the origin of this page. The emulator names its own host, which a browser on another machine
 * cannot reach, and this page may only load from its own origin.
 * @param own the emulator's own address
 * @param here the origin of the page
 */
export function addressHere(address: string, own: string, here: string): string {
  const [, scheme = '', host, rest = ''] = /^(http|ws)s?:(\/\/[^/]+)(.*)$/s.exec(address) ?? []
  return host !== undefined && own.endsWith(`:${host}`) ? `${scheme}${here.slice('http'.length)}${rest}` : address
}

/** Tells whether a host name, as `URL` formats it, is always this machine. */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/** Tells whether a URL is on this machine. */
export function isLoopbackUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return (protocol === 'http:' || protocol === 'https:') && isLoopbackName(hostname)
}

/** Tells whether an IP address of a socket is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address)
}

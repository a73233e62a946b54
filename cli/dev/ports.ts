import getPort, { portNumbers } from 'get-port'

/** The default port of `svc dev`. */
const usualPort = 4400
const triedPorts = 100

/** Returns the folder's own port or, if it is in use, the next free one, so that two projects can run side by side. */
export function firstFreePort(host: string | undefined, kept: number | undefined): Promise<number> {
  const port = [...(kept === undefined ? [] : [kept]), ...portNumbers(usualPort, usualPort + triedPorts)]
  // For an address of another machine, listening fails later with a clear message.
  return getPort({ port, ...(host === undefined ? {} : { host }) }).catch(() => kept ?? usualPort)
}

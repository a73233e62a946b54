/** Reads `--allowed-host` for `svc dev` and `svc serve`. */
import { misuse } from '../base/failure.js'

/** Host names as in a `Host` header, without the port. */
const hostName = /^([\w.-]+|\[[\da-f:.]+\])$/i

/**
 * oclif splits a flag at its commas, but passes an environment variable as one text.
 *
 * @throws {CliFailure} for names that no request could have as its host
 */
export function readHostNames(names: string | readonly string[] = []): string[] {
  const each = (typeof names === 'string' ? names.split(',') : names).map((name) => name.trim())
  const wrong = each.find((name) => name !== '' && !hostName.test(name))
  if (wrong === undefined) return each.filter((name) => name !== '')
  const hint = 'Use a name without scheme and port, for example --allowed-host api.example.com.'
  throw misuse(`"${wrong}" (--allowed-host) is not a host name.`, hint)
}

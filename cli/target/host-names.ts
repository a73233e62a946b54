/** What `--allowed-host` names, for `svc dev` and `svc serve`. */
import { misuse } from '../base/failure.js'

/** As a `Host` header has them, without the port. */
const hostName = /^([\w.-]+|\[[\da-f:.]+\])$/i

/**
 * The framework takes a flag apart at its commas, and leaves what a variable says as one text.
 *
 * @throws {CliFailure} for what no request could give as its host
 */
export function readHostNames(names: string | readonly string[] = []): string[] {
  const each = (typeof names === 'string' ? names.split(',') : names).map((name) => name.trim())
  const wrong = each.find((name) => name !== '' && !hostName.test(name))
  if (wrong === undefined) return each.filter((name) => name !== '')
  const hint = 'A name stands for itself, without scheme and port, as in --allowed-host api.example.com.'
  throw misuse(`"${wrong}" (--allowed-host) is not a host name.`, hint)
}

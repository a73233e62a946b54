/** Parses points in time. The SQL function `svc.instant` does the same. Contract 4.2. */

// A "+" that was not percent-encoded arrives as a space.
const form =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+ -])(\d\d):?(\d\d)?)?)?)?)?$/i

/**
 * Parses text to a moment in UTC with microseconds; `undefined` if invalid. All results have the same length, so they sort
 * by time. A year, month or day means its first moment. A time without a zone is UTC.
 */
export function parseInstant(text: string): string | undefined {
  const [
    isTime,
    year = '',
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    ...zone
  ] = form.exec(text) ?? []
  if (isTime === undefined) return undefined
  const [sign, hours = '0', minutes = '0'] = zone
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const local = timeAt(`${year}-${month}-${day}T${hour}:${minute}:${second}`, 0)
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? 1 : -1)
  const at = local && timeAt(local, offset)
  return at && `${at}.${fraction.slice(0, 6).padEnd(6, '0')}Z`
}

/** Adds minutes to a time; `undefined` for invalid days, and outside the years 1 to 9999. */
function timeAt(text: string, minutes: number): string | undefined {
  const at = new Date(Date.parse(`${text}Z`) + minutes * 60_000)
  if (Number.isNaN(at.getTime())) return undefined
  const written = at.toISOString().slice(0, 19)
  // `Date` reads 30 February as a day in March.
  const isSame = minutes !== 0 || written === text
  return isSame && /^(?!0000)\d{4}-/.test(written) ? written : undefined
}

/** Points in time, read from text. `svc.instant` does the same in SQL. Contract 4.2. */

// A "+" that was not percent-encoded arrives as a space.
const form =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+ -])(\d\d):?(\d\d)?)?)?)?)?$/i

/**
 * The moment that a text names, in UTC with microseconds; `undefined` if it names none. All such texts are equally long, so their order is
 * that of the moments. A year, a month or a day is its first moment, and a time without a zone is UTC.
 */
export function instantOf(text: string): string | undefined {
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

/** The time to the second so many minutes later; `undefined` outside the years 1 to 9999, and if the calendar lacks the day. */
function timeAt(text: string, minutes: number): string | undefined {
  const at = new Date(Date.parse(`${text}Z`) + minutes * 60_000)
  if (Number.isNaN(at.getTime())) return undefined
  const written = at.toISOString().slice(0, 19)
  // `Date` reads 30 February as a day in March.
  const isSame = minutes !== 0 || written === text
  return isSame && /^(?!0000)\d{4}-/.test(written) ? written : undefined
}

const isoTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** Tells whether text is an ISO 8601 date or point in time. Contract 5.2. */
export function isDateTime(text: string): boolean {
  return isoTime.test(text) && !Number.isNaN(Date.parse(text)) && isExistingDay(text.slice(0, 10))
}

/** Tells whether text is a day without a time, such as `2026-01-31`. */
export function isDay(text: string): boolean {
  return text.length === 10 && isDateTime(text)
}

/** Refuses days like 30 February, which `Date` reads as a day in March. */
function isExistingDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}

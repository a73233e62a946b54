/** Formats numbers for errors and the terminal. */

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** Formats as 512 bytes, 1.5 KB or 10 MB, in binary multiples like the limits. Contract 10.2. */
export function formatBytes(size: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, size)) / 10))
  const value = size / 1024 ** step
  const digits = value < 10 && step > 0 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))
  return size === 1 ? '1 byte' : `${digits} ${units[step]}`
}

/** Formats as 10,000. Avoids Intl, which takes longer to load than most commands run. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Formats "1 document" and "12,345 documents". */
export function counted(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`
}

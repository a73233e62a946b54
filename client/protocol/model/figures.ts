/** How figures are worded, in errors and in the terminal alike. */

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** 512 bytes, 1.5 KB, 10 MB; in binary multiples, as the limits are. Contract 10.2. */
export function formatBytes(size: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, size)) / 10))
  const value = size / 1024 ** step
  const digits = value < 10 && step > 0 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))
  return size === 1 ? '1 byte' : `${digits} ${units[step]}`
}

/** 10,000. The formats of Intl take longer to load than most commands to run. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

import { residentMegabytes } from './child.js'

/** Samples a process's memory until it is stopped; how far it grew, in megabytes. @param {number} pid */
export function watchMemory(pid) {
  const before = residentMegabytes(pid)
  let most = before
  const look = () => {
    most = Math.max(most, residentMegabytes(pid))
  }
  const timer = setInterval(look, 20)
  return {
    stop() {
      look()
      clearInterval(timer)
      return most - before
    },
  }
}

/** Loaded into a process by `--import`: sends its parent the longest delay of its event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('message', () => {
  process.send?.(delay.max / 1e6)
  delay.reset()
})
process.channel?.unref()

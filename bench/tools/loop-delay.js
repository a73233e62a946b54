/** Loaded into a process by `--import`: tells its parent how long its event loop has waited at most. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('message', () => {
  process.send?.(delay.max / 1e6)
  delay.reset()
})
process.channel?.unref()

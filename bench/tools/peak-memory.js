/** Loaded into a process by `--import`: writes its peak memory, in megabytes, to the given file. */
import { writeFileSync } from 'node:fs'

process.on('exit', () => {
  writeFileSync(process.env.SVC_BENCH_PEAK ?? '', String(process.resourceUsage().maxRSS / 1024))
})

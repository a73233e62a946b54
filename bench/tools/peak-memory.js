/** Loaded into a process by `--import`: writes the most memory it has had, in megabytes, to the file that is named. */
import { writeFileSync } from 'node:fs'

process.on('exit', () => {
  writeFileSync(process.env.SVC_BENCH_PEAK ?? '', String(process.resourceUsage().maxRSS / 1024))
})
